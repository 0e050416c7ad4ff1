/**
 * Does the work of a round for each item, one after the other. An item that cannot be worked on does not keep the
 * ones behind it waiting, round after round: they have their turn, and only then is the first failure thrown.
 * @returns what the work gave for each item, in order
 */
export async function workOnEach<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      results.push(await work(item));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return results;
}
