"""Writes the folder of texts that the shipped static table is fitted on: free texts packaged by Debian.

    python tools/static_table/texts.py TEXT_DIR [--packages DIR]

Fetches the packages with `apt-get download` (no root is needed) and unpacks them with `dpkg-deb`. Each source
becomes a folder of TEXT_DIR, in formats that distill.py reads. TEXT_DIR-sources.tsv lists the packages
with version and licence.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from formats import FORMATS


@dataclass(frozen=True)
class Source:
    package: str
    format: str
    licence: str
    folder: str = ""  # of TEXT_DIR; sources in one folder count as one
    only: str = ""  # a regular expression that the names of files must match


SOURCES = (
    Source("wordnet-base", "wordnet", "WordNet-3.0", folder="."),
    Source("dict-gcide", "dict", "GPL-2+"),
    Source("dict-foldoc", "dict", "GFDL-1.1+"),
    Source("dict-jargon", "dict", "public domain"),
    Source("dict-devil", "dict", "public domain"),
    Source("dict-elements", "dict", "public domain"),
    Source("r-cran-janeaustenr", "novels", "MIT (texts: public domain)"),
    Source("wesnoth-1.16-data", "messages", "GPL-2+"),
    Source("freeciv-data", "messages", "GPL-2+"),
    Source("kalzium-data", "messages", "GPL-2+"),
    Source("marble-data", "messages", "LGPL-2.1+"),
    Source(
        "stellarium-data",
        "pages",
        "GPL-2+, CC-BY-SA",
        only=r"description\.en\.utf8|/(?!.*\.\w\w(_\w+)?\.utf8)",
    ),
    Source("anarchism", "pages", "GPL-2", only=r"\.html"),
    Source("miscfiles", "pages", "public domain"),
    Source("gnucash-docs", "pages", "GFDL-1.1+", only=r"-en/"),
    Source("gnome-user-docs", "pages", "CC-BY-SA-3.0", only=r"/help/C/"),
    Source("libreoffice-help-en-us", "pages", "MPL-2.0"),
    Source("debian-handbook", "pages", "GPL-2+ or CC-BY-SA-3.0", only=r"/en-US/"),
    Source("debian-history", "pages", "GPL-2+", only=r"\.en\.html|\.en\.txt"),
    Source("debian-faq", "pages", "GPL-2+"),
    Source("debian-policy", "pages", "GPL-2+", only=r"\.html\.html$"),
    Source("debian-reference-en", "pages", "GPL-2+"),
    Source("debian-edu-doc-en", "pages", "GPL-2+"),
    Source("developers-reference", "pages", "GPL-2+", only=r"\.html\.html$"),
    Source("doc-debian", "pages", "public domain, GPL-2+"),
    Source("harden-doc", "pages", "GPL-2+", only=r"/en-US/"),
    Source("maint-guide", "pages", "GPL-2+"),
    Source("installation-guide-amd64", "pages", "GPL-2+", only=r"/en/"),
    Source("aptitude-doc-en", "pages", "GPL-2+"),
    Source("apache2-doc", "pages", "Apache-2.0", only=r"/en/"),
    Source("git-doc", "pages", "GPL-2", only=r"\.html\.html$|howto"),
    Source("sqlite3-doc", "pages", "public domain"),
    Source("postgresql-doc-15", "pages", "PostgreSQL"),
    Source("python3.11-doc", "pages", "PSF-2.0"),
    Source("r-doc-html", "pages", "GPL-2+"),
    Source("perl-doc", "pod", "GPL-1+ or Artistic"),
    Source("manpages", "man", "GPL-2+, BSD, Linux-man-pages-copyleft", folder="manpages"),
    Source("manpages-dev", "man", "GPL-2+, BSD, Linux-man-pages-copyleft", folder="manpages"),
    *(
        Source(f"manpages-{language}", "man", "GPL-3+, GPL-2+", folder=f"manpages-translated/{language}")
        for language in ("de", "es", "fr", "ja", "pl", "ru", "tr", "zh")
    ),
    *(
        Source(f"libreoffice-help-{language}", "pages", "MPL-2.0", folder=f"help-translated/{language}")
        for language in ("de", "el", "es", "hi", "ru", "tr", "vi", "zh-cn")
    ),
)


def unpacked(package: str, folder: Path) -> tuple[Path, str]:
    """The folder of a package's files, fetched where they are not there yet, and its version."""
    target = folder / package
    if not target.is_dir():
        subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True)
        (archive,) = folder.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", str(archive), str(target)], check=True)
    (archive,) = folder.glob(f"{package}_*.deb")
    shown = subprocess.run(
        ["dpkg-deb", "-f", str(archive), "Version"], check=True, capture_output=True, text=True
    )
    return target, shown.stdout.strip()


def descriptions() -> str:
    """What apt says of each package it knows, without the packages' names."""
    known = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"(?ms)^Description(?:-en)?: (.*?)(?=^\S|\Z)", known)
    return "\n\n".join(re.sub(r"(?m)^ \.?", "", text) for text in found)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="TEXT_DIR", type=Path)
    parser.add_argument("--packages", metavar="DIR", type=Path, default=Path("build/packages"))
    arguments = parser.parse_args()
    arguments.packages.mkdir(parents=True, exist_ok=True)
    lines = []
    for source in SOURCES:
        root, version = unpacked(source.package, arguments.packages)
        place, characters = arguments.folder / (source.folder or source.package), 0
        for name, text in FORMATS[source.format](root):
            if not source.only or re.search(source.only, f"/{name}"):
                write(place / name, text)
                characters += len(text)
        lines.append(f"{source.package}\t{version}\t{source.licence}\t{characters}")
        print(lines[-1], flush=True)
    write(arguments.folder / "descriptions" / "all.txt", descriptions())
    lines.append("descriptions of packages (apt-cache dumpavail)\t\teach package's own")
    licences = {
        path.read_text(encoding="utf-8", errors="replace")
        for path in arguments.packages.glob("*/usr/share/doc/*/copyright")
    }
    write(arguments.folder / "licences" / "all.txt", re.sub(r"(?m)^ \.?", "", "\n\n".join(sorted(licences))))
    lines.append("copyright files of the packages above\t\tverbatim copies allowed")
    write(arguments.folder.with_name(arguments.folder.name + "-sources.tsv"), "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
