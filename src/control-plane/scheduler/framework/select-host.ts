let heap = new Int32Array(1024);

/**
 * Returns the index of the best score. A tie goes to the node that kube-scheduler picks: the root of a binary heap
 * built by sifting down from the middle, as Go's container/heap does.
 */
export function selectHost(scores: Float64Array, count: number): number {
  if (heap.length < count) heap = new Int32Array(2 * count);
  for (let i = 0; i < count; i++) heap[i] = i;
  for (let i = (count >> 1) - 1; i >= 0; i--) sink(scores, i, count);
  return heap[0] ?? 0;
}

function sink(scores: Float64Array, from: number, count: number): void {
  let at = from;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= count) return;
    const right = left + 1;
    const child = right < count && isBetter(scores, right, left) ? right : left;
    if (!isBetter(scores, child, at)) return;
    const moved = heap[at] ?? 0;
    heap[at] = heap[child] ?? 0;
    heap[child] = moved;
    at = child;
  }
}

function isBetter(scores: Float64Array, a: number, b: number): boolean {
  return (scores[heap[a] ?? 0] ?? 0) > (scores[heap[b] ?? 0] ?? 0);
}
