"""Short files in languages that look like others."""

from __future__ import annotations

# Languages that none of ours is.
_RELATIVES = {
    "crystal": r"""
require "./shape"

class Point
  getter x : Int32
  property y : Int32

  def initialize(@x : Int32, @y : Int32)
  end

  def far? : Bool
    @x > 9_u8
  end
end
""",
    "glsl": r"""
#version 330
uniform mat4 view;
in vec3 place;
out vec4 color;

void main() {
    color = vec4(place, 1.0);
    gl_Position = view * color;
}
""",
    "fsharp": r"""
open System

type Point =
    { X: int }
    member this.Far = this.X > 9

let mutable n = 0
printfn "%d" n
""",
    "vim": r"""
" places
let g:place = 1
set nocompatible
if exists("g:done")
  finish
endif

function! s:Far(x)
  return a:x > 9
endfunction
nnoremap <leader>f :call <SID>Far(1)<CR>
""",
    "solidity": r"""
pragma solidity ^0.8.0;

contract Bank {
    mapping(address => uint256) public sums;
    event Paid(address who);

    function pay() external payable {
        emit Paid(msg.sender);
    }
}
""",
}
RELATIVES = {language: text[1:] for language, text in _RELATIVES.items()}

# Languages of ours that look like another one.
_LIKE = {
    "commonlisp": r"""
(in-package :shop)

(defparameter *rate* 2)

(defun price (x)
  (declare (type fixnum x))
  (format t "~a" x)
  (* x *rate*))
""",
    "elisp": r"""
;;; shop.el --- prices

(require 'cl-lib)

(defcustom shop-rate 2 "Rate." :type 'integer)

(defun shop-price (x)
  (interactive)
  (save-excursion
    (* x shop-rate)))

(provide 'shop)
""",
    "starlark": r"""
load("@rules_cc//cc:defs.bzl", "cc_library")

def _impl(ctx):
    return [DefaultInfo(files = ctx.files)]

cc_library(
    name = "a",
    srcs = ["a.c"],
    deps = [":b"],
)
""",
    "zig": r"""
const std = @import("std");

pub fn main() !void {
    var n: u32 = 1;
    std.debug.print("{}", .{n});
}
""",
    "typescript": r"""
export class Shop {
  private readonly rate: number = 2;

  price(x: number): Promise<number> {
    return x * this.rate;
  }
}
""",
    "objectivec": r"""
#import "Shop.h"

@implementation Shop

- (void)sell:(NSString *)name {
    NSLog(@"%@", name);
}

@end
""",
    "latex": r"""
\ProvidesFile{shop.cbx}
\RequirePackage{a}
\newcommand*{\rate}{2}
\setlength{\parindent}{0pt}
""",
    "swift": r"""
import Foundation

enum Rank: Int {
    case ace = 1
    func text() -> String {
        switch self {
        case .ace:
            return "a"
        }
    }
}
""",
}
LIKE = {language: text[1:] for language, text in _LIKE.items()}
