# keeper.sh FOLDER PROGRAM [ARGUMENT...]: runs a program until it ends or a word comes on standard input: "gently" asks
# for SIGTERM first, "now" does not. Where standard input ends without a word, whoever held its other end was killed;
# then the program goes at once, and FOLDER with it.
folder=$1
shift
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
(
  if ! read -r word <&3; then
    trap '' TERM
    kill -KILL "$program"
    # Others may still be writing there; their keepers end them in this same moment.
    while [ -n "$folder" ] && [ -e "$folder" ]; do
      rm -rf "$folder"
      sleep 1
    done
    exit
  fi
  if [ "$word" = gently ]; then
    kill -TERM "$program"
    for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 1; done
  fi
  kill -KILL "$program"
) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
