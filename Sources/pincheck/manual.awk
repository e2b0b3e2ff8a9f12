# Mends the manual page that the argument parser's plugin writes: examples stand on lines of their own, and a line that begins
# with a quotation mark is text, not a request to roff.

function literal(on) {
    if (on == inside) return
    print (on ? ".Bd -literal -offset indent -compact" : ".Ed")
    inside = on
}

{ gsub(/…/, "\\[u2026]") }

/^$/ {
    literal(0)
    print ".Pp"
    next
}

/^  +[^ ]/ {
    literal(1)
    sub(/^  +/, "")
    if ($0 ~ /^['.]/) $0 = "\\&" $0
    print
    next
}

{
    literal(0)
    if ($0 ~ /^'/) $0 = "\\&" $0
    print
}
