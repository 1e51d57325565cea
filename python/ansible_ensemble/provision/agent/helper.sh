# What scripts of jobs may source: ways to end, params of the machine, packages and services.
set -o errexit -o pipefail

# End the script with one of the exit codes that agents know, whatever the task's feature flags say.
_leave() {
    : >"$RS_TASK_DIR/.sane-exit-codes"
    exit "$1"
}
exit_stop() { _leave 16; }
exit_shutdown() { _leave 32; }
exit_reboot() { _leave 64; }
exit_incomplete() { _leave 128; }
exit_incomplete_stop() { _leave 144; }
exit_incomplete_shutdown() { _leave 160; }
exit_incomplete_reboot() { _leave 192; }

# The token is no argument, since arguments are seen by all users of the machine.
_request() {
    printf 'header = "Authorization: Bearer %s"\n' "$RS_TOKEN" |
        curl --config - --silent --show-error --fail ${RS_CA_FILE:+--cacert "$RS_CA_FILE"} \
            ${RS_INSECURE:+--insecure} \
            --header "Content-Type: application/json" "$@"
}

# get_param NAME: the value of a param of the machine as JSON, wherever it has it from; null without one.
get_param() { _request "$RS_ENDPOINT/api/v3/machines/$RS_UUID/params/$1?aggregate=true"; }

# set_param NAME JSON: give the machine a param. Its value may be secret, and is no argument either.
set_param() {
    _request --output /dev/null --data-binary @<(printf '%s' "$2") "$RS_ENDPOINT/api/v3/machines/$RS_UUID/params/$1"
}

# install PACKAGE...: install packages, by what the system has for that.
install() {
    local tool
    for tool in apt-get dnf yum zypper apk; do
        command -v "$tool" >/dev/null || continue
        case $tool in
            apt-get) DEBIAN_FRONTEND=noninteractive apt-get install --yes "$@" ;;
            zypper) zypper --non-interactive install "$@" ;;
            apk) apk add "$@" ;;
            *) "$tool" install --assumeyes "$@" ;;
        esac
        return
    done
    echo "install: there is no apt-get, dnf, yum, zypper or apk here" >&2
    return 1
}

# service NAME ACTION: start, stop, restart, enable or disable a service.
service() {
    if command -v systemctl >/dev/null; then
        systemctl "$2" "$1"
    elif command -v rc-service >/dev/null; then
        case $2 in
            enable) rc-update add "$1" default ;;
            disable) rc-update del "$1" default ;;
            *) rc-service "$1" "$2" ;;
        esac
    else
        "/etc/init.d/$1" "$2"
    fi
}
