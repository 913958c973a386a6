#include "kernels/text/abbreviations.hpp"

#include <string>
#include <unordered_set>

#include "kernels/text/unicode.hpp"

namespace tersely::text {
namespace {

using Words = std::unordered_set<std::string_view>;

const Words& never() {
    static const Words words = {
        // English
        "adm", "amb", "attys", "brig", "capt", "cf", "cmdr", "col", "cpl", "cpt", "dr", "drs", "e.g", "eg", "ens", "fr",
        "ft", "gen", "gov", "hon", "i.e", "ie", "insp", "lt", "maj", "messrs", "mlle", "mme", "mr", "mrs", "ms", "msgr",
        "mt", "mts", "mx", "pfc", "p.s", "pres", "prof", "profs", "pvt", "rep", "reps", "res", "rev", "sen", "sens",
        "sgt", "sgts", "st", "ste", "supt", "surg", "viz", "vs", "v.s",
        // German
        "abk", "allg", "bzgl", "bzw", "ca", "d.h", "dgl", "dipl", "d.i", "evtl", "evang", "exkl", "frl", "geb", "gegr",
        "ggf", "hl", "hr", "hrn", "hrsg", "i.d.r", "inkl", "insb", "kath", "mag", "med", "max", "mio", "min", "mrd",
        "o.g", "phil", "rd", "sog", "str", "tsd", "u.a", "u.ä", "urspr", "vgl", "z.b", "z.t", "z.zt", "zzgl",
        // Spanish, French
        "admón", "apdo", "arq", "av", "avda", "cía", "dra", "dres", "excmo", "ilmo", "ing", "lic", "p.ej", "sra",
        "sras", "sres", "srta", "srtas", "ud", "uds", "boul", "env", "m.m", "mgr", "mlles", "mmes"};
    return words;
}

const Words& before_number() {
    static const Words words = {"abb", "abs", "app",  "art", "arts", "bd",   "ch",  "chap", "cl",   "cra",
                                "eq",  "eqs", "ex",   "ext", "fig",  "figs", "kap", "lib",  "n",    "no",
                                "nos", "nr",  "núm",  "nº",  "n°",   "p",    "par", "para", "párr", "párrf",
                                "pág", "pp",  "pt",   "ref", "refs", "s",    "sec", "sect", "secs", "tab",
                                "tel", "vol", "vols", "ver", "zi",   "ziff", "op",  "tbl"};
    return words;
}

const Words& often() {
    static const Words words = {
        "a.d",  "a.m",  "al",    "alt",  "apr",   "approx", "assn",  "assoc", "aug",  "ave",  "b.a", "b.c",  "b.s",
        "blvd", "bros", "calif", "co",   "comp",  "conn",   "corp",  "ct",    "dec",  "dept", "d.c", "dist", "div",
        "ed",   "eds",  "est",   "etc",  "et al", "feb",    "fla",   "fri",   "ga",   "gmbh", "hrs", "ill",  "inc",
        "ind",  "jan",  "jr",    "jul",  "jun",   "ltd",    "m.a",   "mar",   "mass", "md",   "mfg", "mich", "minn",
        "mon",  "nov",  "oct",   "okla", "ont",   "p.m",    "pa",    "ph.d",  "pty",  "rd",   "sat", "sep",  "sept",
        "sq",   "sr",   "sun",   "tenn", "thu",   "thur",   "thurs", "tue",   "tues", "u.k",  "u.n", "u.s",  "u.s.a",
        "univ", "usw",  "va",    "wed",  "wis",   "yr",     "yrs",   "ago",   "ene",  "dic",  "abr", "lun",  "mié",
        "jue",  "vie",  "sáb",   "dom",  "ee.uu", "ee",     "uu",    "e.u",   "hs",   "mr.sc"};
    return words;
}

const Words& starters() {
    static const Words words = {
        // English
        "a", "about", "according", "after", "again", "all", "also", "although", "an", "and", "another", "any", "are",
        "as", "at", "because", "before", "both", "but", "by", "can", "could", "did", "do", "does", "during", "each",
        "even", "every", "finally", "first", "for", "from", "have", "he", "her", "here", "his", "how", "however", "i",
        "i'm", "if", "in", "is", "it", "it's", "its", "later", "let", "like", "many", "maybe", "most", "my", "no",
        "not", "now", "of", "on", "once", "one", "only", "or", "other", "our", "over", "please", "several", "she",
        "should", "since", "so", "some", "such", "thanks", "that", "the", "their", "then", "there", "these", "they",
        "this", "those", "though", "through", "thus", "to", "today", "two", "under", "until", "was", "we", "well",
        "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "yes", "yet", "you",
        "your", "mr", "mrs", "ms", "dr",
        // German
        "aber", "als", "am", "auch", "auf", "bei", "da", "das", "dass", "dem", "den", "der", "die", "dies", "diese",
        "doch", "ein", "eine", "er", "es", "für", "ich", "ihr", "im", "man", "mit", "nach", "sie", "und", "von", "was",
        "wenn", "wie", "wir", "zu", "zudem",
        // Spanish, French
        "el", "la", "los", "las", "un", "una", "en", "se", "su", "es", "y", "pero", "que", "con", "por", "para", "le",
        "les", "une", "il", "elle", "nous", "vous", "ce", "cette", "dans", "et", "mais", "pour"};
    return words;
}

}  // namespace

Abbreviation abbreviation(std::string_view lower) {
    if (never().contains(lower)) return Abbreviation::kNever;
    if (before_number().contains(lower)) return Abbreviation::kNumber;
    return often().contains(lower) ? Abbreviation::kOften : Abbreviation::kNone;
}

bool is_sentence_starter(std::string_view lower) { return starters().contains(lower); }

bool has_ordinal_stops(std::string_view text) {
    static const Words german = {"und", "der",  "die",  "das", "ist", "nicht", "mit", "für", "von", "den",
                                 "ein", "eine", "sich", "auf", "im",  "wir",   "ich", "zu",  "dem", "des"};
    static const Words english = {"the", "of", "and", "to", "is", "that", "for", "it", "with", "was", "this", "are"};
    text = text.substr(0, 4096);
    int balance = 0;
    std::string word;
    for (const char byte : text) {
        if (ascii_alpha(byte) || static_cast<unsigned char>(byte) >= 0x80U) {
            word.push_back(ascii_upper(byte) ? static_cast<char>(byte + 32) : byte);
            continue;
        }
        if (word.size() >= 2 && word.size() <= 5) {
            balance += german.contains(word) ? 1 : 0;
            balance -= english.contains(word) ? 1 : 0;
        }
        word.clear();
    }
    return balance > 0;
}

}  // namespace tersely::text
