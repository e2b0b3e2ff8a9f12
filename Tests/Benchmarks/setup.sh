# What the benchmarks share, to be sourced: a directory that goes away, certificates, servers on loopback, and rounds of measuring.
# Takes the arguments of the script: PINCHECK and ROUNDS.

pincheck=${1:?usage: $(basename "$0") PINCHECK [ROUNDS]}
rounds=${2:-30}
here=$(cd "$(dirname "$0")" && pwd)
for tool in cc curl openssl; do
    command -v "$tool" >/dev/null || { echo "the benchmark needs $tool" >&2; exit 69; }
done

scratch=$(mktemp -d)
servers=()
finish() {
    for server in ${servers[@]+"${servers[@]}"}; do kill "$server" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap finish EXIT
# As `make install` leaves it (stripped, then copied), or with the names of its functions; not what old valgrinds cannot read.
cp "$pincheck" "$scratch/built"
cd "$scratch"
if command -v strip >/dev/null; then strip ${keeps_names:+-g} built; fi
cp built pincheck

cc -O2 -o measure "$here/measure.c"

authority='basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign\n'

certificate() { # NAME ISSUER EXTENSIONS: makes NAME.pem, and NAME.key and NAME.csr unless they are there
    local issuer=()
    if [ ! -f "$1.key" ]; then
        openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
        openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
    fi
    if [ "$1" = "$2" ]; then issuer=(-signkey "$1.key"); else issuer=(-CA "$2.pem" -CAkey "$2.key" -CAcreateserial); fi
    openssl x509 -req -in "$1.csr" "${issuer[@]}" -days 2 -extfile <(printf '%b' "$3") -out "$1.pem"
}

serve() { # INTERMEDIATES: starts a server that sends them, and says its port in $port
    local log="$1.log"
    : >"$log"
    openssl s_server -accept 127.0.0.1:0 -www -cert leaf.pem -key leaf.key -cert_chain "$1" </dev/null >>"$log" 2>&1 &
    servers+=($!)
    port=
    for _ in $(seq 100); do
        port=$(sed -n 's/^ACCEPT .*:\([0-9][0-9]*\)$/\1/p' "$log")
        if [ -n "$port" ]; then return; fi
        sleep 0.1
    done
    cat "$log" >&2
    exit 1
}

round() { # FILE COMMAND...: appends the figures of one run, which has to succeed
    local file=$1 figures
    shift
    figures=$(./measure "$@")
    if [ "${figures##* }" != 0 ]; then
        echo "'$*' ended with ${figures##* }" >&2
        exit 1
    fi
    echo "$figures" >>"$file"
}

figure() { # NAME VALUE: notes a figure for those who compare them, in the file that FIGURES names
    if [ -n "${FIGURES:-}" ]; then echo "$1 $2" >>"$FIGURES"; fi
}

median() { sort -n | awk '{ values[NR] = $1 } END { print (values[int((NR + 1) / 2)] + values[int(NR / 2) + 1]) / 2 }'; }

ratio() { # OURS THEIRS COLUMN: the median of the ratios of each round's pair
    paste -d ' ' "$1" "$2" | awk -v "column=$3" '{ print $column / ($(column + 4) + 1e-9) }' | median
}

instructions() { # COMMAND...: prints how many million instructions a run takes, nothing without callgrind
    command -v valgrind >/dev/null || return 0
    valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$@" >/dev/null 2>&1 || true
    awk '/^(summary|totals):/ { print $2 / 1e6; exit }' callgrind.out
}
