import { connect } from '../../local/connection.ts';
import { findConnection } from '../../local/datadirectory.ts';
import { offlineReaderId } from '../../local/reader/steppingin.ts';
import { countModels, modelCountsLine } from '../modelcounts.ts';
import { type Finding, looked } from './finding.ts';

/** Which model answered for each stage, and how often the offline reader did; where an office runs that knows it. */
export async function answersFindings(data: string): Promise<Finding[]> {
  const running = findConnection(data);
  if (running === undefined) return [];
  const office = connect(running);
  try {
    const finding = await looked('answers', async () => {
      const counts = await countModels(office);
      if (counts.length === 0) return { health: 'ok', says: 'no mail was read yet' };
      const others = counts.filter(({ model }) => model !== offlineReaderId);
      const stoodIn = others.length > 0 && others.length < counts.length;
      return { health: stoodIn ? 'note' : 'ok', says: modelCountsLine(counts) };
    });
    return [finding];
  } finally {
    office.close();
  }
}
