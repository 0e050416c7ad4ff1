import { connect } from '../../local/connection.ts';
import { findConnection } from '../../local/datadirectory.ts';
import { offlineReaderId } from '../../local/reader/steppingin.ts';
import { countModels, modelCountsLine } from '../modelcounts.ts';
import { type Finding, looked } from './finding.ts';

/**
 * Which model answered for each stage, and how often the offline reader did; where an office runs that knows it.
 * @param expected whether a model of the household is configured, so that the offline reader only ever stands in
 */
export async function answersFindings(data: string, expected: boolean): Promise<Finding[]> {
  const running = findConnection(data);
  if (running === undefined) return [];
  const office = connect(running);
  try {
    const finding = await looked('answers', async () => {
      const counts = await countModels(office);
      if (counts.length === 0) return { health: 'ok', says: 'no mail was read yet' };
      const stoodIn = expected && counts.some(({ model }) => model === offlineReaderId);
      const says = modelCountsLine(counts);
      return stoodIn
        ? { health: 'note', says: `${says} (the offline reader stood in, or read before there was another)` }
        : { health: 'ok', says };
    });
    return [finding];
  } finally {
    office.close();
  }
}
