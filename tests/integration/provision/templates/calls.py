"""Calls of sprig's functions with fixed and with chance arguments."""

from __future__ import annotations

import json
import random

CALLS = """
trim "  a b\\t\\n"
trimAll "$" "$5.00$"
trimall "ab" "abcba"
trimSuffix "-" "hello-"
trimPrefix "-" "-hello"
upper "héß"
lower "HÉ"
title "hello wörld it's"
untitle "Hello World"
repeat 3 "ab"
repeat 0 "ab"
repeat -1 "ab"
substr 0 5 "hello world"
substr -1 5 "hello world"
substr 6 -1 "hello world"
substr 6 99 "hello world"
substr 9 3 "hello world"
nospace " h e l\\tl o "
trunc 5 "hello world"
trunc -5 "hello world"
trunc 99 "hello"
trunc -99 "hello"
abbrev 5 "hello world"
abbrev 3 "hello world"
abbrev 50 "hello world"
abbrevboth 5 10 "1234 5678 9123"
abbrevboth 2 10 "1234 5678 9123"
abbrevboth 30 10 "1234 5678 9123"
initials "First Try"
wrap 10 "the quick brown fox jumps"
wrap 5 "internationalization is long"
wrapWith 5 "\\t" "Hello World internationalization"
contains "cat" "catch"
hasPrefix "cat" "catch"
hasSuffix "ch" "catch"
quote "a\\"b" 5 nil true .n 2.5
squote "a" 5 nil .words
cat "hello" 5 nil .words true
indent 4 "a\\nb"
nindent 2 "a\\nb"
replace " " "-" "I Am Henry VIII"
replace "" "-" "abc"
plural "one" "many" 1
plural "one" "many" 0
snakecase "FirstName"
snakecase "HTTPServer"
snakecase "first name-here"
kebabcase "FirstName"
camelcase "http_server"
camelcase "HTTP-server name"
camelcase "_first"
swapcase "This Is A.Test"
toString 5
toString 2.5
toString 1e21
toString .map
toString true
toStrings .list
join "," .words
join "," .list
join "," "a"
join "," .n
split "," "a,b,c"
(split "," "a,b,c")._1
splitn "," 2 "a,b,c"
splitn "," 0 "a,b,c"
splitList "," "a,b,c"
splitList "" "abc"
sortAlpha .words
sortAlpha "x"
add 1 2 3
add "5" 2.9 true
add .i .rate
add 9223372036854775807 1
add1 5
sub 5 3
sub 3 "x"
mul 3 4 5
mul 9223372036854775807 2
div 7 2
div -7 2
div 7 0
mod 7 3
mod -7 3
mod 7 0
max 1 5 3
min 1 5 3
biggest 2 1
maxf 1 2.5 "3.1"
minf 1 0.5
addf 0.1 0.2
addf 1.5 2 3
add1f 1.5
subf 10.5 2 .5
mulf 1.5 2 3
divf 10 4
divf 1 3
divf 1 0
floor 123.9999
floor -1.5
ceil 123.001
round 123.555555 3
round 123.5 0
round 123.4 0 0.3
round -1.5 0
int "123"
int "0x1F"
int "017"
int "12.00"
int "12.5"
int "abc"
int 2.9
int true
int nil
int .missing
int64 "99999999999999999999"
float64 "3.5"
float64 "x"
float64 7
atoi "42"
atoi "x"
toDecimal "777"
toDecimal 10
until 5
until -3
untilStep 3 10 3
untilStep 10 3 -3
untilStep 0 5 0
seq 5
seq -3
seq 2 4
seq 4 2
seq 0 2 10
seq 5 -2 0
seq
default "d" ""
default "d" "x"
default "d" 0
default "d" .missing
.missing | default "d"
.empty | default "d"
empty ""
empty 0
empty .map
empty .empty
empty .n
coalesce 0 "" .n "x" "y"
coalesce 0 ""
all 1 "a" .map
all 1 "" .map
any 0 "" .map
ternary "a" "b" true
false | ternary "a" "b"
fromJson "{\\"a\\": [1.5, \\"x\\", null, true]}"
fromJson "nope"
mustFromJson "nope"
toJson .
toJson .u
toJson 1e21
toJson 1e-7
toJson 100000000.0
toJson 2.0
toPrettyJson .map
toPrettyJson .empty
toRawJson .u
deepEqual (list 1 2) (list 1 2)
deepEqual (list 1 2) (list 1 3)
deepEqual .map (deepCopy .map)
list 1 "a" nil .s
tuple 1 2
first .words
first .none
last .words
rest .words
initial .words
append .words "z"
push .words "z"
prepend .words "z"
append "x" "z"
concat .words .numbers (list)
reverse .numbers
uniq (list 1 1 2 "1" 1.0 "1")
without .words "a" "zz"
has "a" .words
has 4 .words
has "a" .n
has (list 3 4) .list
compact (list 1 "" 0 "a" nil false)
slice .words
slice .words 1
slice .words 0 2
slice .words 2 1
slice .words 0 9
slice .none
chunk 2 .list
index (chunk 2 .numbers) 1
dict "a" 1 "b" .words
dict "a" 1 "b"
dict 5 6
get .map "b"
get .map "zz"
hasKey .map "a"
hasKey .map "zz"
set (dict "a" 1) "b" 2
unset (dict "a" 1 "b" 2) "a"
pluck "a" (dict "a" 1) (dict "b" 2) (dict "a" 3)
keys (dict "a" 1)
keys .map | sortAlpha
values (dict "a" 1)
pick .map "a" "zz"
omit .map "a"
merge (dict "a" 1 "m" (dict "x" 1)) (dict "a" 2 "b" 3 "m" (dict "x" 9 "y" 2))
merge (dict "a" "" "z" 0) (dict "a" "full" "z" 4)
mergeOverwrite (dict "a" 1 "m" (dict "x" 1)) (dict "a" 2 "b" 3 "m" (dict "x" 9 "y" 2))
mergeOverwrite (dict "a" 1 "l" (list 1 2)) (dict "a" "" "l" (list 3))
dig "a" "deep" "none" .map
dig "a" "zz" "none" .map
dig "q" "zz" "none" .map
dig "b" "zz" "none" .map
kindOf "a"
kindOf 1
kindOf 1.5
kindOf .map
kindOf .list
kindOf true
kindOf .n
kindIs "string" .s
typeOf "a"
typeOf 1
typeOf .map
typeOf .list
typeIs "int" 5
typeIsLike "bool" true
b64enc "héllo"
b64dec "aMOpbGxv"
b64dec "!!"
b32enc "hello"
b32dec "NBSWY3DP"
sha1sum "hello"
sha256sum "héllo"
sha512sum "hello"
adler32sum "hello"
base "/a/b.txt"
base ""
base "/"
base "a//"
dir "/a/b.txt"
dir "b"
dir ""
dir "/a"
dir "a/b/../c"
clean "/a/../b//c/."
clean ""
clean "../../a"
clean "//a"
ext "/a/b.tar.gz"
ext "a.b/c"
isAbs "/a"
isAbs "a"
osBase "/a/b"
semverCompare "^1.2.0" "1.3.0"
semverCompare ">1.0, <2" "v1.5.2"
semverCompare "~1.2.3" "1.2.9"
semverCompare "~1.2.3" "1.3.0"
semverCompare "1.2.x" "1.2.7"
semverCompare "*" "9.9.9"
semverCompare ">=1.2.3-alpha" "1.2.3-beta"
semverCompare ">=1.2.0" "1.3.0-beta"
semverCompare "^0.2.3" "0.2.9"
semverCompare "^0.2.3" "0.3.0"
semverCompare "^0" "0.9.0"
semverCompare "1.0 - 2.0" "1.5.0"
semverCompare "1.0 - 2.0" "2.0.5"
semverCompare ">1.2" "1.2.5"
semverCompare "<=1.2" "1.2.5"
semverCompare "!=1.2.3" "1.2.3"
semverCompare "nonsense" "1.2.3"
semverCompare "1.x || >=3" "3.5.0"
semver "1.2.3-beta.1+build"
semver "v1.2"
semver "nope"
(semver "1.2.3-beta.1+b").Major
(semver "1.2.3-beta.1+b").Prerelease
(semver "1.2.3-beta.1+b").Metadata
(semver "v1.2.3").Original
(semver "1.2.3").Compare (semver "1.3.0")
(semver "1.2.3-a.2").Compare (semver "1.2.3-a.10")
urlParse "http://user:pa%20ss@host.com:8080/p%20x?q=1#frag"
urlParse "mailto:a@b.c"
urlParse "/just/path"
urlParse "//host/path"
urlParse "http://[::1]:80/x"
urlParse "http://h/%zz"
urlJoin (dict "scheme" "http" "host" "h:80" "path" "/p x" "query" "q=1" "fragment" "f" "userinfo" "u:p")
urlJoin (dict "scheme" "http" "host" "h" "path" "rel")
urlJoin (dict "path" "/a")
urlJoin (dict "scheme" "mailto" "opaque" "a@b.c")
urlJoin (dict "host" 5)
fail "because"
hello
regexMatch "^a+$" "aaa"
regexMatch "(" "aaa"
mustRegexMatch "(" "aaa"
regexFind "[a-z]+(\\\\d+)" "  ab12 cd"
regexFindAll "[a-c]" "abcdabc" -1
regexFindAll "[a-c]" "abcdabc" 2
regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"
regexReplaceAll "a(x*)b" "-ab-axxb-" "$1W"
regexReplaceAll "(?P<n>x+)" "axxb" "<$n>$$"
regexReplaceAll "x*" "abxxc" "-"
regexReplaceAllLiteral "a(x*)b" "-ab-axxb-" "${1}"
regexSplit "z+" "pizza" -1
regexSplit "a" "banana" 2
regexSplit "x*" "abxc" -1
regexSplit "," "" -1
regexQuoteMeta "1.2.3[a]"
regexFind "[" "x"
trim 5
trim .n
upper
upper "a" "b"
add
list
len (list 1 2)
.words | join "-" | upper | quote
""".strip().splitlines()

_PATTERNS = [
    "a",
    "b",
    ".",
    "[ab]",
    "[^a]",
    "\\w",
    "\\d",
    "\\s",
    "\\b",
    "^",
    "$",
    "(a|b)",
    "(?:ab)",
    "(?i)A",
    "[[:alpha:]]",
    "é",
    "(b)?",
    "\\pL",
    "x*?",
]
_REPEATS = ["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,}"]
_LETTERS = ["a", "b", "A", "B", "é", " ", "-", "_", "x", "1", "2", ".", "\n", "ab", "aab"]
_OF_ONE = [
    "snakecase",
    "kebabcase",
    "camelcase",
    "title",
    "untitle",
    "swapcase",
    "initials",
    "trim",
    "nospace",
    "quote",
    "squote",
]
_OF_ONE += [
    "b64enc",
    "b32enc",
    "sha256sum",
    "adler32sum",
    "base",
    "dir",
    "clean",
    "ext",
    "toJson",
    "int",
    "float64",
    "regexQuoteMeta",
]
_OF_NUMBER = ["trunc", "abbrev", "wrap", "indent", "repeat", "nindent"]

# These take the bytes of a character apart, or make joints out of nothing; that is not followed.
_BROKEN_THERE = ["camelcase", "initials", "nospace"]


def _ascii_word(text: str) -> str:
    return '"x' + text.replace("é", "e")[1:]


def call_of_text(generator: random.Random) -> str:
    """A call of a function that takes a text, with a text made by chance."""
    text = json.dumps("".join(generator.choice(_LETTERS) for _ in range(generator.randint(0, 8))), ensure_ascii=False)
    kind = generator.randrange(4)
    if kind == 0:
        name = generator.choice(_OF_ONE)
        return f"{name} {_ascii_word(text) if name in _BROKEN_THERE else text}"
    if kind == 1:
        return f"{generator.choice(_OF_NUMBER)} {generator.randint(0, 9)} {text}"
    pattern = json.dumps(
        "".join(generator.choice(_PATTERNS) + generator.choice(_REPEATS) for _ in range(generator.randint(1, 4))),
        ensure_ascii=False,
    )
    return generator.choice(
        [
            f"mustRegexMatch {pattern} {text}",
            f"mustRegexFind {pattern} {text}",
            f"mustRegexFindAll {pattern} {text} -1 | join `|`",
            f'mustRegexReplaceAll {pattern} {text} "<$1>"',
            f"mustRegexSplit {pattern} {text} {generator.choice([-1, 0, 1, 2, 3])} | join `|`",
        ]
    )
