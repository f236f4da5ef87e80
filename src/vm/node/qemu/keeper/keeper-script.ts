/**
 * Waits for QEMU and records its exit code. QEMU dies with this process, and this process with the guard, so that no
 * machine outlives what enforces its deadline.
 */
const WAITER = `
setpriv --pdeathsig KILL -- "$@" 9>&- </dev/null >>qemu.log 2>&1 & qemu=$!
printf '%s\\n' "$qemu" >qemu.tmp && mv qemu.tmp qemu.pid
trap 'kill -TERM $qemu 2>/dev/null' TERM
wait $qemu; code=$?
while kill -0 $qemu 2>/dev/null; do wait $qemu; code=$?; done
printf '%s\\n' "$code" >exit.tmp && mv exit.tmp exit
kill -USR1 $PPID
`;

/**
 * Keeper of one machine, which runs in the machine directory and outlives the node agent. It holds the lock, so that a
 * machine never runs twice, enforces the deadline (seconds of /proc/uptime, which counts time asleep, or "never"), and
 * bounds the log of the serial console. Its first argument is the waiter, and the others are QEMU's command line.
 */
const GUARD = `
umask 077
exec 9>>lock
flock -n 9 || exit 75
[ ! -e exit ] || exit 0
waiter=$1; shift
setpriv --pdeathsig KILL -- /bin/sh -c "$waiter" vimana-waiter "$@" & child=$!
printf '%s\\n' "$$" >pid.tmp && mv pid.tmp pid
trap 'kill -TERM $child 2>/dev/null' TERM INT HUP
trap 'kill $sleeper 2>/dev/null; exit 0' USR1
while kill -0 $child 2>/dev/null; do
  every=10; deadline=
  read -r deadline <deadline
  if [ "$deadline" != never ]; then
    case $deadline in ''|*[!0-9]*) deadline=0 ;; esac
    every=1
    read -r now rest </proc/uptime
    if [ "\${now%%.*}" -ge "$deadline" ]; then
      printf 'fenced\\n' >exit.tmp && mv exit.tmp exit
      kill -KILL $child
    fi
  fi
  if [ "$(stat -c %s serial.log 2>/dev/null || echo 0)" -gt 16777216 ]; then
    tail -c 1048576 serial.log >serial.old; : >serial.log
  fi
  sleep $every 9>&- & sleeper=$!
  wait $sleeper
done
kill $sleeper 2>/dev/null
exit 0
`;

/** Returns the command that runs QEMU under a keeper. Its working directory must be the machine directory. */
export function keeperCommand(qemu: readonly string[]): { readonly file: string; readonly args: readonly string[] } {
  return { file: '/bin/sh', args: ['-c', GUARD, 'vimana-keeper', WAITER, ...qemu] };
}
