#!/usr/bin/env bash
# The one entry for people and CI: `./build.sh --help` lists what it does. It runs from anywhere, installs what is
# missing (Debian packages by apt, the rest from the package registries) and skips what is already there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Settings of the caller's own Rust work would put files elsewhere or compile other code than the site's.
unset CARGO_TARGET_DIR CARGO_BUILD_TARGET CARGO_BUILD_RUSTC CARGO_ENCODED_RUSTFLAGS RUSTFLAGS RUSTC_WRAPPER

readonly RUST_VERSION=1.96.0
readonly MIN_NODE=18
readonly WASM_TARGET=wasm32-unknown-unknown
# python3-pip fetches the wheel that carries Perfetto's user interface; no Python runs in any test.
# The site's wasm files; the slowest to make come first.
readonly WASM_VARIANTS=(model loop threaded plain)
readonly TEST_PACKAGES=(chromium firefox-esr webkit2gtk-driver xvfb python3-pip)
# Inlining by this tool only makes the file larger for gzip; speed is the compiler's part.
readonly WASM_OPT_FLAGS=(-Oz -ocimfs 20 -aimfs 2 --reorder-functions-by-name --strip-producers --strip-target-features
  --enable-simd --enable-bulk-memory --enable-mutable-globals --enable-sign-ext
  --enable-nontrapping-float-to-int --enable-reference-types --enable-multivalue)

route=help
current_step=start

usage() {
  cat <<'HELP'
usage: ./build.sh COMMAND

  serve [--port N]   build the site and serve it on this machine, with the headers of a good host
  test [ARGUMENTS]   check, build and test in all three browsers; arguments go to tests/browser/run.mjs
  build              build the site into dist/
  check              the fast half of test: formats, lints, native tests, types; no browser
  claims [ARGUMENTS] build, then run every lab's model in a browser; fails where a claim is false
  bench              build, then measure speed; says nothing about right or wrong
  new-lab NAME       start a lab from the template
  clean              remove what was built: dist, www/pkg, target (node_modules stays)
HELP
}

say() { printf '%s\n' "$*"; }
die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

# Runs one named step; the name is what the last line tells when it fails.
step() {
  current_step=$1
  shift
  say "── $current_step"
  "$@"
}

finish() {
  local status=$?
  if ((status == 0)); then
    case $route in
      test | check) say "$route: all passed in $SECONDS s" ;;
      *) say "$route: done in $SECONDS s" ;;
    esac
  elif ((status == 130 || status == 143)); then
    say "$route: stopped at '$current_step' after $SECONDS s" >&2
  else
    say "$route: FAILED at '$current_step' after $SECONDS s" >&2
  fi
}

# ── Debian packages

as_root() {
  if ((EUID == 0)); then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "root is needed for: $*"
  fi
}

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

apt_updated=no
apt_update_once() {
  [[ $apt_updated == no ]] || return 0
  as_root apt-get update -qq
  apt_updated=yes
}

# Asks the package server only when something is missing, so a second run works without network.
apt_install() {
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "installing: ${missing[*]}"
  apt_update_once
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "${missing[@]}"
}

# ── Rust

version_at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

# The linker must read what this compiler's LLVM writes; the same major version always does.
debian_linker() {
  local llvm
  llvm=$(/usr/bin/rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
  command -v "/usr/bin/wasm-ld-$llvm" || { apt_install "lld-$llvm" >&2 && echo "/usr/bin/wasm-ld-$llvm"; }
}

# Route 1: Debian's own compiler with its source. A newer one than RUST_VERSION is taken as it is.
use_debian_toolchain() {
  command -v apt-get >/dev/null || return 1
  local tools=(/usr/bin/rustc /usr/bin/cargo /usr/bin/cargo-clippy /usr/bin/rustfmt)
  if ! ls "${tools[@]}" /usr/lib/rustlib/src/rust/library/std/Cargo.toml >/dev/null 2>&1; then
    debian_offers_rust || return 1
    apt_install rustc-web cargo-web rust-web-src rust-web-clippy rustfmt-web || return 1
  fi
  version_at_least "$(/usr/bin/rustc --version | cut -d ' ' -f 2)" "$RUST_VERSION" || return 1
  apt_install gcc libc6-dev ca-certificates || return 1
  rust_bin=/usr/bin
  wasm_linker=$(debian_linker)
}

debian_offers_rust() {
  apt_update_once
  local offered
  offered=$(apt-cache policy rustc-web | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
  [[ -n $offered ]] && version_at_least "$offered" "$RUST_VERSION"
}

# Route 2: rustup, for machines without those packages. The developers' machines cannot download toolchains, so
# this route is written after rustup's documentation and has not been run by them.
use_rustup_toolchain() {
  command -v rustup >/dev/null || return 1
  rustup toolchain install "$RUST_VERSION" --profile minimal -c rust-src -c clippy -c rustfmt || return 1
  rust_bin=$(dirname "$(rustup which --toolchain "$RUST_VERSION" rustc)")
  wasm_linker='' # rustc finds the rust-lld that comes with it.
}

find_rust() {
  use_debian_toolchain || use_rustup_toolchain ||
    die "no Rust $RUST_VERSION found; install rustup (https://rustup.rs) or, on Debian: apt-get install rustc-web cargo-web rust-web-src"
  # By absolute path and first on PATH: another cargo that comes first would bring another compiler.
  export PATH=$rust_bin:$PATH RUSTC=$rust_bin/rustc RUSTDOC=$rust_bin/rustdoc RUSTFMT=$rust_bin/rustfmt
  export CARGO=$rust_bin/cargo
  say "toolchain: $("$RUSTC" --version), linker ${wasm_linker:-rust-lld}, node $(node --version)"
}

# ── Node

find_node() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    command -v apt-get >/dev/null || die "Node $MIN_NODE or newer and npm are needed: https://nodejs.org"
    command -v node >/dev/null || apt_install nodejs
    command -v npm >/dev/null || apt_install npm
  fi
  local major
  major=$(node -p 'process.versions.node.split(".")[0]')
  ((major >= MIN_NODE)) || die "Node $MIN_NODE or newer is needed, this is $(node --version): https://nodejs.org"
}

npm_packages() {
  local wanted stamp=node_modules/.package-lock.sha256
  wanted=$(sha256sum <package-lock.json)
  [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return 0
  npm ci
  printf '%s\n' "$wanted" >"$stamp"
}

# Two builds in one checkout would pull each other's files away: the second waits for the first.
take_turn() {
  command -v flock >/dev/null || return 0
  mkdir -p target
  exec {turn}>target/.turn
  flock -n "$turn" || { say 'another build is at work in this checkout; waiting for it'; flock "$turn"; }
}

leave_turn() { [[ -z ${turn:-} ]] || exec {turn}>&-; }

prepare() {
  current_step='find tools'
  take_turn
  find_node
  find_rust
  step 'npm packages' npm_packages
}

# ── The wasm builds

# RUSTC_BOOTSTRAP opens two unstable doors of a stable compiler: -Z build-std, and std compiled with atomics.
# cargo_wasm VARIANT PROGRAM SUBCOMMAND [ARGUMENTS]
cargo_wasm() {
  local variant=$1 program=$2 subcommand=$3
  shift 3
  local flags='-C target-feature=+bulk-memory,+simd128'
  # Inlining makes half of the code, and the loops that must be fast say so themselves. The machine must be fast all
  # over; and its log grows by megabytes, so it has memory from the start that need not move.
  case $variant in
    model | bench) flags+=' -C llvm-args=-inline-threshold=60 -C link-arg=--initial-memory=33554432' ;;
    *) flags+=' -C llvm-args=-inline-threshold=8' ;;
  esac
  if [[ $variant == threaded ]]; then
    flags+=' -C target-feature=+atomics,+mutable-globals'
    flags+=' -C link-arg=--shared-memory -C link-arg=--import-memory -C link-arg=--max-memory=1073741824'
    local symbol
    for symbol in __wasm_init_tls __tls_size __tls_align __tls_base __heap_base; do
      flags+=" -C link-arg=--export=$symbol"
    done
  fi
  local linker=()
  [[ -z $wasm_linker ]] || linker=("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$wasm_linker")
  env RUSTC_BOOTSTRAP=1 "RUSTFLAGS=$flags" "${linker[@]}" "$program" "$subcommand" --locked --lib --target "$WASM_TARGET" \
    -Z build-std=std,panic_abort -Z build-std-features=optimize_for_size --target-dir "target/wasm-$variant" "$@"
}

# Kept under the hash of what it is made of: cargo alone would link it anew whenever the library changes.
make_bindgen() {
  local key
  key=$({ cat Cargo.lock src/bin/bindgen.rs; "$RUSTC" -vV; } | sha256sum | cut -c 1-16)
  bindgen=target/bindgen-$key
  [[ -x $bindgen ]] && return 0
  "$CARGO" build --locked --features bindgen --bin bindgen
  rm -f target/bindgen-*
  cp target/debug/bindgen "$bindgen"
}

# One wasm build: compile, make the glue, optimise; the last two only when the compiler's output changed.
wasm_variant() {
  local variant=$1 out=www/pkg/$1 features=() more=(--no-default-features)
  # The benchmarks' own build is the model's with what only they call; it is no part of the site.
  case $variant in
    model | loop) more+=(--features "$variant") ;;
    bench) out=target/bench-pkg more=(--features bench) ;;
  esac
  local fresh=$out.new
  cargo_wasm "$variant" "$CARGO" build --profile wasm "${more[@]}"
  local raw=target/wasm-$variant/$WASM_TARGET/wasm/concurrency_playground.wasm stamp
  [[ $variant != threaded ]] || features=(--enable-threads)
  stamp=$({ cat "$raw"; say "$bindgen" "${WASM_OPT_FLAGS[@]}"; cat node_modules/binaryen/package.json; } | sha256sum)
  [[ -f $out/.stamp && $(<"$out/.stamp") == "$stamp" ]] && return 0
  rm -rf "$fresh"
  "$bindgen" "$raw" "$fresh"
  node_modules/.bin/wasm-opt "${WASM_OPT_FLAGS[@]}" "${features[@]}" "$fresh/playground_bg.wasm" -o "$fresh/playground_bg.wasm"
  printf '%s\n' "$stamp" >"$fresh/.stamp"
  rm -rf "$out"
  mv "$fresh" "$out"
}

# Side by side, because each spends most of its time in one thread of the optimiser. xargs and not `&`: a job in
# the background would not hear Ctrl-C.
wasm_builds() {
  export bindgen rust_bin wasm_linker
  printf '%s\n' "$@" | xargs -P 2 -I {} "$BASH" ./build.sh wasm-variant {}
}

# ── Commands

browsers() {
  if command -v apt-get >/dev/null; then apt_install "${TEST_PACKAGES[@]}"
  else say 'without apt these must be there already: Chromium, Firefox ESR, WebKitWebDriver, Xvfb, and python3 with pip'
  fi
}

describe_labs() { "$CARGO" run --locked --quiet --bin describe -- www/pkg; }

clippy() { "$rust_bin/cargo-clippy" clippy --locked --all-targets --all-features -- -D warnings; }

# The native run never sees web.rs; each of these sees a part of it.
clippy_wasm() {
  local lint=("$rust_bin/cargo-clippy" clippy --no-default-features)
  cargo_wasm threaded "${lint[@]}" -- -D warnings
  # The others differ in a feature only: what they depend on is compiled once.
  cargo_wasm plain "${lint[@]}" -- -D warnings
  cargo_wasm plain "${lint[@]}" --features loop -- -D warnings
  cargo_wasm plain "${lint[@]}" --features model -- -D warnings
}

format_of_rust() { "$rust_bin/cargo-fmt" --check || die "this puts it right: $rust_bin/cargo-fmt"; }

lint_of_typescript() {
  node_modules/.bin/biome check --error-on-warnings . ||
    die 'this puts most of it right: node_modules/.bin/biome check --write'
}

types() {
  local project
  for project in www/tsconfig.json www/tsconfig.worker.json; do
    node_modules/.bin/tsc -p "$project" --noEmit
  done
}

route_check() {
  prepare
  step 'format of Rust' format_of_rust
  step 'format and lint of TypeScript' lint_of_typescript
  step 'house rules' node www/build/tidy.mjs
  step 'clippy' clippy
  step 'native tests' "$CARGO" test --locked --quiet
  step 'bindgen tool' make_bindgen
  step 'clippy for wasm' clippy_wasm
  step 'wasm builds' wasm_builds "${WASM_VARIANTS[@]}"
  step 'lab descriptions' describe_labs
  step 'types of TypeScript' types
  step 'verdict on claims' node --test --test-reporter=dot tests/claims
}

build_site() {
  step 'bindgen tool' make_bindgen
  step 'wasm builds' wasm_builds "${WASM_VARIANTS[@]}"
  step 'lab descriptions' describe_labs
  step 'site' node www/build/bundle.mjs
}

route_build() {
  prepare
  build_site
}

route_test() {
  route_check
  build_site
  step 'size budget' node www/build/sizes.mjs
  step 'event loop beside CPython' node tests/difference/run.mjs --programs 300
  step 'browsers' browsers
  step 'claims of all labs' node tests/claims/run.mjs
  step 'traces in viewers' node tests/viewers/run.mjs
  step 'browser tests' node tests/browser/run.mjs "$@"
}

route_claims() {
  prepare
  build_site
  step 'browsers' browsers
  step 'claims of all labs' node tests/claims/run.mjs "$@"
}

route_bench() {
  prepare
  build_site
  step 'wasm for the benchmarks' wasm_variant bench
  step 'browsers' browsers
  step 'bench' node tests/bench/run.mjs "$@"
}

route_serve() {
  prepare
  build_site
  leave_turn
  # In place of this shell, so that Ctrl-C and SIGTERM reach the server and its exit status is ours.
  trap - EXIT
  exec node www/build/serve.mjs "$@"
}

route_new_lab() {
  local id=${1:-} template=src/labs/template
  [[ $id =~ ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ ]] || die 'new-lab takes a name of small letters and hyphens, as in: new-lab lost-update'
  local module=${id//-/_} file
  [[ -d $template ]] || die "there is no template in $template"
  [[ ! -e src/labs/$module ]] || die "src/labs/$module is there already"
  cp -R "$template" "src/labs/$module"
  while IFS= read -r file; do
    sed -i "s/{{id}}/$id/g; s/{{module}}/$module/g" "$file"
  done < <(find "src/labs/$module" -type f)
  say "made src/labs/$module; now add these two lines to src/labs/mod.rs:"
  say "    mod $module;"
  say "    &$module::LAB,"
}

route_clean() {
  rm -rf dist dist.new www/pkg target
  say 'removed dist, www/pkg and target; node_modules is kept'
}

main() {
  route=${1:-help}
  (($# == 0)) || shift
  case $route in
    help | -h | --help) usage; return ;;
    wasm-variant) wasm_variant "$@"; return ;;
    serve | test | build | check | claims | bench | new-lab | clean) ;;
    *) usage >&2; die "there is no command '$route'" ;;
  esac
  trap finish EXIT
  "route_${route//-/_}" "$@"
}

main "$@"
