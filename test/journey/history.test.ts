import { type HistoryEvent, paginateGetExecutionHistory, paginateListExecutions } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseMessage } from '../../lib/mail/message.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { samples } from '../../samples/index.ts';
import { exampleCircle } from '../support/cases.ts';
import { caregate, freshData, type OfficeProcess, startOffice } from '../support/office.ts';

/** The most that any input or output of a state may hold, in bytes. */
const most = 8 * 1024;

describe('what an execution history holds', () => {
  const data = freshData();
  let office: OfficeProcess;
  const events: HistoryEvent[] = [];

  beforeAll(async () => {
    const once = await caregate(['start', '--once', '--data', data, '--port', '0', '--smtp', '0']);
    expect(once.code, once.stderr).toBe(0);
    office = await startOffice(data);
    const { sfn, file } = office.connection;
    for await (const page of paginateListExecutions({ client: sfn }, { stateMachineArn: file.machine })) {
      for (const { executionArn } of page.executions ?? []) {
        for await (const { events: found } of paginateGetExecutionHistory(
          { client: sfn },
          { executionArn },
        )) {
          events.push(...(found ?? []));
        }
      }
    }
  }, 120_000);

  afterAll(() => office?.stop());

  it('is there, for every sample', () => {
    expect(events.filter((event) => event.type === 'ExecutionStarted')).toHaveLength(7);
  });

  it('no address of any kind stands in it', () => {
    const written = JSON.stringify(events);
    expect(written).not.toMatch(/[\w.+-]+@[\w-]+\.\w+/);
  });

  it('no words of a mail stand in it', async () => {
    const written = JSON.stringify(events);
    for (const { raw } of await samples(systemClock, exampleCircle)) {
      const message = await parseMessage(raw);
      const texts = message.parts.flatMap((part) =>
        part.text === undefined ? [] : part.text.split(/\r?\n/),
      );
      const phrases = [message.subject, ...texts]
        .map((line) => line.trim())
        .filter((line) => line.length >= 20);
      expect(phrases.length).toBeGreaterThan(0);
      for (const phrase of phrases) expect(written).not.toContain(phrase);
    }
  });

  it('no state takes or gives more than 8 KiB', () => {
    const sizes = events.flatMap((event) => {
      const { input } = event.stateEnteredEventDetails ?? {};
      const { output } = event.stateExitedEventDetails ?? {};
      return [input, output].filter((text) => text !== undefined).map((text) => Buffer.byteLength(text));
    });
    expect(sizes.length).toBeGreaterThan(50);
    expect(Math.max(...sizes)).toBeLessThan(most);
  });
});
