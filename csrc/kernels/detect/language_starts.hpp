// What lines of a programming language begin with.
#pragma once

#include <array>

#include "kernels/detect/language_lists.hpp"

namespace tersely::detect {

// clang-format off
inline constexpr auto kStarts = [] {
    using enum Language;
    return std::to_array<List>({
        {python, 8,
         "@classmethod\n@property\n@pytest\n@staticmethod\nasync def\nfor i in range\nfrom .\n"
         "from __future__\nfrom collections\nfrom typing\nif __name__\nimport numpy\nimport unittest\n"
         "super().\nwith open("},
        {python, 6, "def __"},
        {python, 5, "import sys"},
        {python, 3, "except \nimport os\nimport re\nself.\ntry:"},
        {python, 2, "\"\"\"\nclass Test\nelse:\nreturn self"},
        {python, 1, "assert \nelif \nif not \nlogger\nprint(\nraise \nsuper("},
        {javascript, 8,
         "!function\n$(document)\n'use strict'\n(function (\n(function(\n\"use strict\"\nasync function\n"
         "console.\nconst fs = \nconst {\ndefine([\ndescribe('\ndescribe(\"\ndocument.\nexport * \n"
         "export const \nexport default\nexport function \nexport {\nexports.\nfor (const \nfor (let \n"
         "import React\nimport {\nit('\nit(\"\njQuery(\nlet {\nmodule.exports\nuseEffect(\nwindow.\n})("},
        {javascript, 3,
         "await \nbeforeEach(\nconst [\nexport async \nexport class \nfor (var \nif (typeof \nimport * as\n"
         "jest.\nreturn (\nreturn new Promise\nstatic async\ntest('\ntest(\"\n} = require(\n});"},
        {javascript, 1, "return ["},
        {typescript, 15,
         "@Component(\n@Injectable(\nconstructor(private\nconstructor(protected\nconstructor(public\n"
         "declare global\ndeclare module\ndeclare namespace\nexport abstract class\nexport declare \n"
         "export enum \nexport interface \nexport namespace \nexport type \nimport type \n"
         "private readonly \npublic readonly "},
        {typescript, 5, "/// <reference"},
        {typescript, 4,
         "@Input(\n@Output(\nconst enum \nexport const enum\nimport * as React\njest.mock(\nprivate async \n"
         "protected async \nprotected readonly\npublic async \nreadonly \nstatic readonly\ntype Props"},
        {go, 12,
         "for _, \nfunc (\nfunc Benchmark\nfunc Test\ngo func(\nif err != nil\nif err := \nvar _ "},
        {go, 6, "case <-\nconst (\nfmt.\nfunc main()\nreturn nil\nselect {\ntype ("},
        {rust, 12,
         "#![\n#[cfg\n#[derive\nassert!(\nassert_eq!(\nextern crate\nfn main() {\nimpl fmt::\nimpl<\n"
         "let mut \nmacro_rules!\nprintln!(\npub async fn\npub const fn\npub enum \npub fn \npub mod \n"
         "pub struct \npub trait \npub unsafe\npub use \npub(crate)\nunsafe impl\nunsafe {\nuse core::\n"
         "use crate::\nuse serde\nuse std::\nuse super::"},
        {rust, 4, "pub const "},
        {rust, 2, "if let "},
        {rust, 1, "fn "},
        {java, 12,
         "@Autowired\n@Override\nSystem.out.\nimport android\nimport java.\nimport javax.\n"
         "import org.junit\nimport static org\nprivate final \nprivate static final\nprotected final\n"
         "public @interface\npublic final class\npublic static final\npublic static void main("},
        {java, 4,
         "List<\nMap<\nimport com.\nimport org.\nimport static\nprivate String \nprivate boolean \n"
         "private int \nprivate static \nprivate void \nprotected void \npublic String \n"
         "public abstract class\npublic boolean \npublic class \npublic enum \npublic int \n"
         "public interface \npublic static \npublic void \nthrow new "},
        {java, 1, "String \nfinal \nthis.\n} catch ("},
        {c, 6,
         "#ifndef \n#include <std\n#include <sys/\nconst char\nenum {\nextern int\nfree(\nint main(\n"
         "memset(\nreturn -1;\nstatic char\nstatic int \nstatic void \ntypedef \ntypedef struct\nunion {"},
        {c, 2, "static const \nstatic inline\nstatic struct"},
        {c, 1, "#define \nprintf(\nstruct \nunsigned \nvoid "},
        {cpp, 10,
         "#include <iostream\n#include <string>\n#include <vector\nBOOST_\nQ_OBJECT\nTEST(\nTEST_CASE(\n"
         "TEST_F(\nboost::\nclass Q\nconst auto\nconst std::\nconstexpr \nexplicit \nfor (auto\n"
         "for (const auto\nfriend class\nnamespace {\nprivate:\nprotected:\npublic:\nstatic_assert(\nstd::\n"
         "template <\ntemplate<\nusing namespace\nusing std\nvirtual "},
        {cpp, 4, "auto \ndelete \nenum class \ninline bool\nthis->"},
        {cpp, 2, "extern \"C\""},
        {csharp, 12,
         "#region\n/// <summary>\n[Fact]\n[SerializeField]\n[TestMethod]\n[Test]\n[assembly:\n"
         "foreach (var \ninternal class\ninternal static\nnamespace System\nprivate async Task\n"
         "private static readonly\nprotected override \npublic IEnumerable\npublic async Task\n"
         "public override \npublic static void Main(\npublic virtual \nusing Microsoft\nusing System\n"
         "using UnityEngine"},
        {csharp, 3,
         "private readonly \nprotected virtual\npublic bool \npublic class \npublic const \npublic enum \n"
         "public interface I\npublic static \npublic string \nstring \nusing ("},
        {kotlin, 12,
         "@Composable\ncompanion object\ndata class \nfun main\nimport kotlin\ninline fun \ninternal fun \n"
         "lateinit var\noverride fun \noverride val \nprivate fun \nprivate lateinit\npublic fun \n"
         "suspend fun "},
        {kotlin, 6,
         "abstract val\nannotation class\nconst val\nfun <\ninternal class \ninternal object\ninternal val\n"
         "object : \nopen class \nopen fun \nprivate val \nprivate var \nprotected open\nsealed class \n"
         "when ("},
        {kotlin, 4, "enum class "},
        {kotlin, 2, "import com.\nimport java.\nimport org."},
        {swift, 12,
         "// swift-tools-version\nimport Cocoa\nimport Combine\nimport Foundation\nimport SwiftUI\n"
         "import UIKit\nimport XCTest"},
        {swift, 8,
         "#if os(\n@IBAction \n@testable import\nclass func \nguard let \nmutating func \noverride func \n"
         "private extension \npublic extension \npublic func \npublic init(\nrequired init\nswitch self"},
        {swift, 6,
         "case .\nfileprivate func \nif let \ninternal func \nprivate func \nprivate let \npublic let \n"
         "public struct \npublic var \nstatic func \nsuper.init(\nweak var "},
        {swift, 3, "static let "},
        {php, 8,
         "$this->\n<?=\nfunction __construct\nif (!isset(\nif (isset(\nprivate function \n"
         "protected function \npublic function \npublic static function \nuse Illuminate\n} elseif ("},
        {php, 4, "$_\nabstract class \necho $\nforeach ($\nif (!$\nif ($\nreturn $"},
        {ruby, 12,
         "Gem::Specification\nPod::Spec\nRSpec.\nRails.\nbefore do\nbefore_filter \ndef self.\ngem '\n"
         "gem \"\nlet(:\npod '\nrequire '\nrequire_relative \nsource 'https://rubygems"},
        {ruby, 5,
         "# frozen_string_literal\n=begin\nattr_accessor :\nattr_reader :\nclass << self\ncontext '\n"
         "context \"\ndescribe '\ndescribe \"\nexpect {\nget '\nit '\nit \"\nlane :\nmodule_function\n"
         "namespace :\nplatform :\nprivate_class_method\nrescue \nresources :\nscope :\nspec.\ntask :"},
        {ruby, 3, "alias \nrequire \""},
        {ruby, 2, "return if \nreturn unless\nunless "},
        {ruby, 1, "describe "},
        {perl, 12,
         "my $self\nmy ($\nour $VERSION\nuse Moose\nuse Test::More\nuse base \nuse lib \nuse parent \n"
         "use strict\nuse warnings"},
        {perl, 6,
         "1;\n=head1\nbless \nfor my \nforeach my \nif (@\nlocal $\nmy $\nmy %\nmy @\nprint $\n"
         "print STDERR\npush @\nreturn $self\nreturn unless\nsub new\nuse constant\nwhile (my "},
        {lua, 12,
         "--[[\nend)\nfor k, v in pairs\nfunction M.\nio.write\nlocal M = {}\nlocal function \n"
         "return setmetatable\nsetmetatable(\ntable.insert("},
        {lua, 5, "for _, "},
        {lua, 4, "for i = 1,\nmodule("},
        {lua, 3, "for i, \nstring."},
        {lua, 2, "elseif \nlocal \nlocal _"},
        {lua, 1, "if not "},
        {shell, 8,
         "# shellcheck\n#shellcheck\n. ./\n. /\n. \"$\n[[ \ncase $\ncase \"$\ncd \"$\nchmod \ncp -\n"
         "echo -e\necho \"$\nesac\nexit $\nexit 1\nexport PATH\nfor x in $\nif [ \nif [[\nif command\n"
         "ln -s\nmkdir -p\nread -\nrm -\nset -e\nset -u\nset -x\nsource \"$\ntest -\ntrap \nwhile [\n"
         "while getopts\nwhile read"},
        {shell, 6, "[ -"},
        {shell, 4, "*)\nelif [\nexit 0\nfor f in \nfor i in \nif ! \nlocal -"},
        {shell, 3, "apt-get \necho '\necho \"\neval \nsudo \nunset "},
        {shell, 2, "exec "},
        {sql, 12,
         "-- Table\n/*!\nALTER TABLE\nCOMMENT ON\nCREATE DATABASE\nCREATE EXTENSION\nCREATE FUNCTION\n"
         "CREATE INDEX\nCREATE OR REPLACE\nCREATE PROCEDURE\nCREATE SCHEMA\nCREATE TABLE\nCREATE TRIGGER\n"
         "CREATE TYPE\nCREATE UNIQUE\nCREATE VIEW\nCreate Table\nDECLARE @\nDELETE FROM\nDROP TABLE\n"
         "EXEC sp_\nFOREIGN KEY\nFROM [\nGROUP BY\nIF EXISTS\nINNER JOIN\nINSERT INTO\nLEFT JOIN\n"
         "LOCK TABLES\nORDER BY\nPRIMARY KEY\nSELECT * FROM\nSET @\nSET ANSI\nSET NOCOUNT\n"
         "SET QUOTED_IDENTIFIER\nSET serveroutput\nUSE [\nVALUES (\n\\echo\n\\i \n\\set\nalter table\n"
         "begin transaction\ncreate function\ncreate or replace\ncreate procedure\ncreate table\ndeclare @\n"
         "delete from\ndrop table\nforeign key\ngroup by\nif exists (\ninner join\ninsert into\nleft join\n"
         "order by\nprimary key\nselect * from\nset @\nset ansi\nset nocount\nset serveroutput\nuse ["},
        {sql, 6, "raise notice"},
        {sql, 4, "END IF;\nSELECT \nend if;"},
        {sql, 3, "END;\nGRANT \nLANGUAGE"},
        {sql, 2, "('\nREM \n`\nselect "},
        {sql, 1, "returns "},
        {css, 6,
         "* {\n*{\n-moz-\n-webkit-\n:root\n@-webkit\n@font-face\n@import url\n@keyframes\n@media\na:hover\n"
         "background:\nbody {\nbody{\ndisplay:\nhtml {\ntable {"},
        {css, 4, "a {"},
        {css, 2, "color:\nfont-\nwidth:"},
        {css, 1, "border\nh1\nmargin\npadding\nul "},
        {cmake, 8,
         "ELSE()\nENDIF()\nSET(CMAKE\nelse()\nendforeach()\nendfunction()\nendif()\nendmacro()\n"
         "find_package(\nif (NOT\nif (WIN32\nif(NOT\nlist(APPEND\nmessage(STATUS\nset(CMAKE\nset_property(\n"
         "string(REGEX"},
        {cmake, 3, "macro(\noption(\nset("},
        {cmake, 2, "elseif(\nforeach("},
        {cmake, 1, "function(\nif(\ninclude("},
        {makefile, 10,
         "%.o:\n-include \n.DEFAULT\n.PHONY\n.SUFFIXES\n.c.o:\nCC = \nCC=\nCFLAGS\nifeq (\nifneq (\n"
         "include $(\nvpath "},
        {makefile, 6, "all:\nclean:"},
        {makefile, 4, "install:"},
        {makefile, 2, "$(\nifdef \nifndef \ntest:"},
        {dockerfile, 15,
         "# syntax=docker\nADD . \nCMD [\nCOPY --from\nCOPY . \nENTRYPOINT [\nENV PATH\nFROM alpine\n"
         "FROM centos\nFROM debian\nFROM golang\nFROM mcr.\nFROM node\nFROM python\nFROM scratch\n"
         "FROM ubuntu\nHEALTHCHECK\nRUN apk\nRUN apt\nRUN go \nRUN mkdir\nRUN npm\nRUN pip\nRUN yum\n"
         "from debian\nfrom ubuntu\nrun apt"},
        {fortran, 12,
         "!$omp\ncharacter(\ndouble precision\nend program\nend subroutine\nimplicit none\ninteger ::\n"
         "integer(\nlogical ::\nprint *,\nreal ::\nreal(\nsubroutine \nuse, intrinsic\nwrite(*"},
        {fortran, 8, "end module"},
        {fortran, 6, "END DO\nend do\nend type"},
        {fortran, 5, "end if"},
        {fortran, 4, "END IF\ndo i\nend function\ntype("},
        {fortran, 3, "C     "},
        {fortran, 2, "!> \nc     "},
        {fortran, 1, "call "},
        {hcl, 15,
         "backend \"\ndata \"\ndynamic \"\njob \"\nlocals {\nmodule \"\noutput \"\nprovider \"\n"
         "required_providers\nresource \"\nterraform {\nvariable \""},
        {hcl, 6,
         "connection {\nconstraint {\ndriver = \"\ngroup \"\nlifecycle {\nprovisioner \"\nresources {\n"
         "tags = {\ntask \""},
        {hcl, 2, "check {\nconfig {\nnetwork {\nservice {"},
        {powershell, 12,
         "#Requires\n$ErrorActionPreference\n$PSScriptRoot\n$basedir=\n$env:\n$global:\n$null\n$script:\n"
         "& $\n.DESCRIPTION\n.EXAMPLE\n.PARAMETER\n.SYNOPSIS\n<#\nBegin {\nParam(\nProcess {\n"
         "Set-StrictMode\n[Alias(\n[CmdletBinding\n[Parameter(\n[System.\n[ValidateSet\n[int]\n[object\n"
         "[string]\n[switch]\nfunction Get-\nfunction Invoke-\nfunction New-\nfunction Set-\n"
         "if (!(Test-Path\nif ($null\nif (-not"},
        {powershell, 6, "& \""},
        {powershell, 5, "param("},
        {powershell, 4, "@{"},
        {powershell, 3, "begin {\nelseif ($\nprocess {"},
        {powershell, 2, "foreach ($\nif ($\nthrow \""},
        {powershell, 1, "exit $\nreturn $\n} catch {"},
        {batch, 15,
         ":eof\n@ECHO OFF\n@call\n@echo off\n@exit\n@goto\n@if\n@rem\n@set\n@setlocal\nFOR /F\n"
         "IF ERRORLEVEL\nIF EXIST\nIF NOT EXIST\nIF \"%\nSET \"\ncall :\ncd /d\ncopy /\ndel /\nexit /b\n"
         "for %%\nfor /F\nfor /f\ngoto :\ngoto end\nif %\nif /I\nif /i\nif \"%\nif defined\nif errorlevel\n"
         "if exist %\nif exist \"\nif not \"%\nif not defined\nif not errorlevel\nif not exist \nrmdir /\n"
         "set %\nset /a\nset /p\nset PATH=\nxcopy "},
        {batch, 8, "echo."},
        {batch, 6, "echo %\nset \""},
        {batch, 5, ") else (\n) else if \n:end"},
        {batch, 4, "start \""},
        {batch, 3, "::\nGOTO \nmsbuild\nrem "},
        {batch, 2, "%"},
        {scala, 12,
         "abstract override\naddSbtPlugin(\ncase class \ncase object \nfinal case class\nimplicit class\n"
         "implicit def \nimplicit object\nimplicit val \nimport akka\nimport play\nimport scala.\n"
         "lazy val \nlibraryDependencies\nname := \nobject Main extends\norganization := \noverride def \n"
         "private[\nresolvers +=\nscalaVersion\nsealed abstract class\nsealed trait \nversion := "},
        {scala, 5,
         "final def \nimport cats\noverride val \nprivate def \nprivate val \nprotected def \nval ("},
        {scala, 4, "import java.\nimport scala"},
        {scala, 3, "import com.\nimport org."},
        {scala, 1, "abstract class "},
        {r, 20, "#!/usr/bin/env Rscript"},
        {r, 12,
         "UseMethod\ndata.frame(\ngeom_\nggplot(\ninstall.packages\nread.csv\nrm(list\nset.seed(\n"
         "setMethod(\nsetwd(\nstopifnot(\ntest_that("},
        {r, 10,
         "\\alias{\n\\arguments{\n\\description{\n\\docType{\n\\examples{\n\\keyword{\n\\name{\n\\usage{\n"
         "\\value{"},
        {r, 5, "#' "},
        {r, 4, "if (is.\nlibrary(\nsuppress"},
        {r, 3, "source(\""},
        {r, 2, "expect_\nplot("},
        {dart, 15,
         "@override\nWidget build(\nexport 'src\nimport 'dart:\nimport 'package:\nimport \"package:\n"
         "part '"},
        {dart, 8, "part of "},
        {dart, 3, "late \nstatic const \nvoid main() {"},
        {dart, 2, "import '"},
        {dart, 1, "final "},
        {elixir, 12,
         "@moduledoc\n@spec \nIO.puts\nconfig :\ndef deps do\ndefexception\ndefmodule \niex>\n"
         "import Config\nplug :\nuse ExUnit\nuse GenServer\nuse Mix."},
        {elixir, 4, "test \""},
        {elixir, 3, "describe \"\n|> "},
        {elixir, 1, "alias \nassert \n{:"},
        {haskell, 12, "{-# "},
        {haskell, 8,
         "deriving\nimport Control.\nimport Data.\nimport System.\nimport qualified\ninfixl \ninfixr \n"
         "main ::\nmain = do\nmodule Main\nnewtype \n{-# LANGUAGE\n| otherwise"},
        {haskell, 3, "instance "},
        {haskell, 2, "where"},
        {haskell, 1, "| "},
        {objectivec, 12,
         "#import \"\n#pragma mark\n+ (id)\n+(id)\n+(void)\n- (BOOL)\n- (id)\n- (instancetype\n- (void)\n"
         "-(BOOL)\n-(id)\n-(void)\n@autoreleasepool\n@implementation\n@interface\n@property (\n@property(\n"
         "NSError \nNSLog(\nNSString \n[self \n[super \nif (![\nif ([\nself = [super"},
        {objectivec, 8, "#import <"},
        {objectivec, 5, "+ (\n- ("},
        {objectivec, 2, "return @\nreturn ["},
        {protobuf, 12,
         "extend google\nimport \"google\noption (\noption go\noption java\noption optimize\n"
         "syntax = \"proto"},
        {protobuf, 5, "oneof "},
        {protobuf, 4, "rpc "},
        {protobuf, 1, "message \noptional \nrepeated \nreserved "},
        {graphql, 10, "... on\ndirective @\nextend type\nschema {\ntype Mutation\ntype Query"},
        {graphql, 4, "mutation "},
        {graphql, 3, "fragment \nsubscription "},
        {graphql, 2, "scalar \nunion "},
        {graphql, 1, "input \nquery \ntype "},
        {pascal, 10,
         "WriteLn(\nWriteln(\nconstructor T\ndestructor T\nfunction T\nif not Assigned\nimplementation\n"
         "initialization\nprocedure T"},
        {pascal, 6, "inherited\n{$"},
        {pascal, 4, "end.\nwriteln("},
        {pascal, 3, "uses"},
        {pascal, 2, "end;\ninterface"},
        {pascal, 1, "(*\nbegin\nobject "},
        {verilog, 12,
         "$display(\n`celldefine\n`default_nettype\n`else\n`endif\n`ifndef\n`pragma\n`timescale\n`undef\n"
         "`uvm\nalways @\nalways_comb\nalways_ff\nendmodule\ninitial begin\ninput [\ninput logic\n"
         "input wire\nlogic [\noutput [\noutput logic\noutput reg\noutput wire\nreg [\nwire ["},
        {verilog, 6, "`define\n`ifdef\n`include"},
        {verilog, 2, "assign "},
        {verilog, 1, "`\ninout \nmodule \nparameter "},
        {vhdl, 15,
         "END PROCESS\nLIBRARY IEEE\nLIBRARY ieee\nLibrary IEEE\nPORT MAP\nPROCESS(\nUSE IEEE.\nUSE ieee.\n"
         "end architecture\nend case;\nend component\nend entity\nend process\ngeneric map\nlibrary IEEE\n"
         "library ieee\nport map\nprocess (\nprocess(\nuse IEEE.\nuse ieee.\nuse work."},
        {vhdl, 8, "Port ("},
        {vhdl, 6, "port ("},
        {vhdl, 4, "architecture \nentity "},
        {vhdl, 3, "end if;\nsignal "},
        {vhdl, 2, "component \nconstant \nvariable "},
        {assembly, 8,
         "%define\n%include\n%macro\n.LC\n.L\n.align\n.arm\n.ascii\n.asciz\n.balign\n.bss\n.byte $\n.cfi\n"
         ".code\n.data\n.db\n.dw\n.endm\n.equ\n.file \n.func\n.global\n.globl\n.include\n.intel_syntax\n"
         ".long\n.macro\n.model\n.org\n.p2align\n.quad\n.section\n.seg\n.set \n.size\n.space\n.text\n"
         ".thumb\n.type\n.weak\nBITS \nbits \nglobal _\nmov \norg \nsection .\nsegment "},
        {assembly, 6, ".byte"},
        {assembly, 5, ".word"},
        {tcl, 12,
         "# -*- tcl\narray set\ncatch {\nexpr {\nforeach {\nif {[\nif {\nlappend \nnamespace eval\n"
         "namespace import\npackage ifneeded\npackage provide\npackage require\nswitch -\nupvar \nwhile {\n"
         "wm title\n} elseif {"},
        {tcl, 6, "for {\noption add"},
        {tcl, 4, "button ."},
        {tcl, 2, "bind \nreturn ["},
        {tcl, 1, "::\ngrid \npack \nproc \nputs \nset "},
        {nim, 15,
         "discard \"\"\"\nimport std/\nimport strutils\ninclude \"system\nrequires \"\nsrcDir\n"
         "version       =\nwhen defined(\nwhen isMainModule\nwhen not defined\n{.pragma\n{.push"},
        {nim, 3, "proc "},
        {nim, 2, "import os,"},
        {nim, 1, "echo "},
        {ocaml, 10,
         "List.iter\nPrintf.printf\n[@@\nbegin match\nend = struct\nignore (\nlet () =\nlet open \n"
         "let rec \nlet%\nmodule type \nopen Core"},
        {ocaml, 6, "(** \ntype t ="},
        {ocaml, 5, "| _ ->"},
        {ocaml, 4, "(* "},
        {ocaml, 3, "external "},
        {ocaml, 2, "match "},
        {ocaml, 1, "and \nlet \n| "},
        {zig, 12,
         "const Self = \nconst std = \nerrdefer\nextern fn\ninline fn\ninline for\nnoalias\nstd.debug\n"
         "try std\nusingnamespace"},
        {zig, 8, "comptime {\nexport fn"},
        {zig, 5, "test \""},
        {zig, 4, "pub var"},
        {zig, 3, "fn \npub fn "},
        {zig, 2, "pub const "},
        {zig, 1, "try "},
        {julia, 10, "#=\n@testset\nBase.\nabstract type\nccall(\nimport Base\nmutable struct\nusing Base"},
        {julia, 6, "@test \nfor i in 1:"},
        {julia, 4, "for i = 1:\ninclude(\""},
        {julia, 3, "@assert "},
        {julia, 2, "println(\""},
        {julia, 1, "function "},
        {erlang, 20, "-module("},
        {erlang, 10,
         "%%! \n-author(\n-behavior(\n-behaviour(\n-callback\n-compile(\n-endif\n-export([\n-export(\n"
         "-export_type\n-ifdef(\n-import(\n-include(\n-include_lib(\n-type \n-vsn(\ngen_server:\n"
         "handle_call(\ninit([\nio:format(\nlists:\n{application\n{deps,\n{erl_opts\n{sub_dirs"},
        {erlang, 8, "-define(\n-include\n-record(\n-spec "},
        {erlang, 6, "{<<\""},
        {erlang, 5, "{ok,"},
        {erlang, 4, "end."},
        {erlang, 3, "%%%\n<<\""},
        {erlang, 2, "%% \nreceive"},
        {erlang, 1, "%%\n[{"},
        {clojure, 20, "(ns "},
        {clojure, 10,
         "(:gen-class\n(:import\n(:require \n(:require\n(:use \n(are [\n(defmulti\n(defn-\n(defonce\n"
         "(defproject\n(defprotocol\n(defrecord\n(deftype \n(doseq [\n(fn [\n(for [\n(if-let\n(let [\n"
         "(loop [\n(recur\n(reify\n(reset! \n(swap! \n(testing \n(when-let"},
        {clojure, 8, "(defn"},
        {clojure, 5, "(->> \n(deftest\n(is (\n[org."},
        {clojure, 4, "(-> \n(comment\n(def "},
        {clojure, 3, "(assoc \n(extend"},
        {clojure, 2, "(defmethod \n(println \n(when-not \n{:"},
        {clojure, 1, "#_\n(if ("},
        {commonlisp, 8,
         "#+sbcl\n(:export\n(:use :\n(asdf:\n(check-type\n(declaim\n(defclass\n(defconstant\n(defgeneric\n"
         "(define-condition\n(defmethod\n(defpackage\n(defparameter *\n(defparameter\n(defsetf\n(defstruct\n"
         "(defsystem\n(deftype\n(defvar *\n(destructuring-bind\n(ecase\n(etypecase\n(format t\n(ftype\n"
         "(handler-case\n(in-package\n(labels ((\n(loop for\n(make-instance\n(multiple-value-bind\n(nconc\n"
         "(proclaim\n(ql:\n(return-from\n(sb-\n(terpri\n(with-open-file\n(with-slots\n:accessor\n:initarg\n"
         ":initform"},
        {commonlisp, 4, "(defun \n(setf "},
        {commonlisp, 3, "#+\n(declare (\n(defmacro \n(deftest \n(eval-when\n(flet ((\n(incf \n;;;; "},
        {commonlisp, 2, "#-\n#|\n(defvar \n(dotimes (\n(princ \n(print \n(read-"},
        {commonlisp, 1,
         "(cond \n(dolist (\n(error \n(let ((\n(list '\n(mapcar \n(progn\n(push \n(setq \n(unless "},
        {elisp, 15,
         "(add-hook\n(add-to-list '\n(autoload '\n(buffer-\n(cl-defun\n(current-buffer\n(declare-function\n"
         "(defalias '\n(defcustom\n(defface\n(defgroup\n(define-derived-mode\n(define-key\n"
         "(define-minor-mode\n(define-obsolete\n(defsubst\n(defvar-local\n(depends-on\n(ede-\n(ert-deftest\n"
         "(eval-after-load\n(eval-when-compile\n(global-set-key\n(goto-char\n(interactive\n"
         "(make-local-variable\n(package-file\n(package-initialize\n(provide '\n(re-search\n(require '\n"
         "(save-excursion\n(setq-default\n(use-package\n(with-current-buffer\n(with-eval-after-load\n"
         ":group '\n:type '\n;;; Code\n;;; Commentary\n;;;###"},
        {elisp, 12, "(defconst "},
        {elisp, 10, "(kbd "},
        {elisp, 8, "(looking-at\n(should "},
        {elisp, 6, "(cl-\n(message \"\n(pcase\n(put '\n(string-match"},
        {elisp, 5, "(insert "},
        {elisp, 4, "(defun \n(point\n(setq "},
        {elisp, 3, "(file-"},
        {elisp, 2, "(concat \n(defvar \n(while "},
        {elisp, 1, "(cond \n(if (\n(let ((\n(let* (\n(nreverse\n(progn\n(when ("},
        {latex, 20, "\\documentclass"},
        {latex, 12,
         "\\DeclareOption\n\\DeclareRobustCommand\n\\NeedsTeXFormat\n\\ProvidesClass\n\\ProvidesFile\n"
         "\\ProvidesPackage\n\\RequirePackage\n\\author\n\\begin{document}\n\\bibitem\n\\bibliography\n"
         "\\caption\n\\centering\n\\chapter\n\\chapter{\n\\cite\n\\def\\\n\\expandafter\n\\fi\n\\gdef\\\n"
         "\\global\\\n\\hline\n\\if@\n\\ifx\n\\includegraphics\n\\include{\n\\input{\n\\let\\\n\\makeat\n"
         "\\maketitle\n\\newcounter\n\\newenvironment\n\\newif\n\\newlength\n\\newtheorem\n\\noindent\n"
         "\\paragraph\n\\providecommand\n\\renewcommand\n\\setlength\n\\textbf\n\\title\n\\usepackage\n"
         "\\vspace"},
        {latex, 8,
         "\\Declare\n\\ProcessOptions\n\\advance\n\\begin{\n\\contentsline\n\\edef\n\\else\n\\hbox\n"
         "\\iffield\n\\let\n\\newbib\n\\newcommand\n\\newcount\n\\newdimen\n\\pgf\n\\relax\n\\section\n"
         "\\subsection\n\\tikz\n\\usebib"},
        {latex, 5, "\\end{"},
        {latex, 4, "\\label"},
        {latex, 3, "\\item"},
        {starlark, 15,
         "bazel_dep(\ncc_library(\ndef _impl(\nexports_files(\ngenrule(\ngo_library(\nhttp_archive(\n"
         "implementation = _\njava_library(\nlicenses(\nload('\nload(\"\nmaybe(\nnative.\npackage(default\n"
         "repository_rule(\nreturn [DefaultInfo\nsh_binary(\nvisibility = [\"\nworkspace(name"},
        {starlark, 6, "attrs = {"},
        {starlark, 5, "ctx."},
        {starlark, 4, "deps = [\npackage(\nsrcs = ["},
        {starlark, 3, "glob(\nmodule(\nname = \""},
        {starlark, 2, "tags = ["},
    });
}();
// clang-format on

}  // namespace tersely::detect
