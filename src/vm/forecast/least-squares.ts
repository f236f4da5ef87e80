/**
 * Solves a weighted ridge regression by its normal equations and Cholesky's decomposition. `penalty` of each column
 * keeps the solution small and the equations solvable.
 */
export function leastSquares(
  rows: readonly Float64Array[],
  targets: ArrayLike<number>,
  penalty: readonly number[],
  weights?: Float64Array,
): Float64Array {
  const columns = penalty.length;
  const matrix = new Float64Array(columns * columns);
  const vector = new Float64Array(columns);
  for (const [r, row] of rows.entries()) {
    const weight = weights?.[r] ?? 1;
    for (let i = 0; i < columns; i++) {
      const scaled = weight * (row[i] as number);
      if (scaled === 0) continue;
      vector[i] = (vector[i] as number) + scaled * (targets[r] as number);
      for (let j = 0; j <= i; j++) {
        matrix[i * columns + j] = (matrix[i * columns + j] as number) + scaled * (row[j] as number);
      }
    }
  }
  for (let i = 0; i < columns; i++) matrix[i * columns + i] = (matrix[i * columns + i] as number) + (penalty[i] ?? 0);
  return solveCholesky(matrix, vector, columns);
}

function solveCholesky(matrix: Float64Array, vector: Float64Array, size: number): Float64Array {
  const at = (i: number, j: number) => matrix[i * size + j] as number;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = at(i, j);
      for (let k = 0; k < j; k++) sum -= at(i, k) * at(j, k);
      // A column that others explain already has no say.
      matrix[i * size + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / at(j, j);
    }
  }
  const solution = Float64Array.from(vector);
  for (let i = 0; i < size; i++) {
    let sum = solution[i] as number;
    for (let k = 0; k < i; k++) sum -= at(i, k) * (solution[k] as number);
    solution[i] = sum / at(i, i);
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = solution[i] as number;
    for (let k = i + 1; k < size; k++) sum -= at(k, i) * (solution[k] as number);
    solution[i] = sum / at(i, i);
  }
  return solution;
}
