const ESCAPE = String.fromCodePoint(0x1b);
const BELL = String.fromCodePoint(0x07);

/**
 * Requests for a response of the terminal: its identity, its state, the position of the cursor, its colors. A terminal
 * that gets one of them again would type its response into the guest.
 */
const TERMINAL_REQUESTS = new RegExp(
  [
    `${ESCAPE}\\[[0-9;?>=]*[cnx]`,
    `${ESCAPE}\\[[0-9;?>]*\\$p`,
    `${ESCAPE}Z`,
    `${ESCAPE}P[^${ESCAPE}]*${ESCAPE}\\\\`,
    `${ESCAPE}\\][^${BELL}${ESCAPE}]*\\?(?:${BELL}|${ESCAPE}\\\\)`,
  ].join('|'),
  'g',
);

/** Returns output of a guest that a terminal can show again, from the beginning of a line. */
export function replayable(output: Buffer, isWhole: boolean): Buffer {
  const text = output.toString('latin1');
  const start = isWhole ? 0 : text.indexOf('\n') + 1;
  return Buffer.from(text.slice(start).replace(TERMINAL_REQUESTS, ''), 'latin1');
}

/**
 * Returns what a log has beyond the output that a socket delivered. Both were read at almost the same time, so that the
 * log may end with the beginning of what the socket delivered.
 */
export function withoutOverlap(log: Buffer, received: Buffer): Buffer {
  for (let length = Math.min(log.length, received.length); length > 0; length--) {
    if (log.subarray(log.length - length).equals(received.subarray(0, length))) {
      return log.subarray(0, log.length - length);
    }
  }
  return log;
}
