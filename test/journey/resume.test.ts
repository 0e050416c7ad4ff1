import { InvokeCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settle } from '../../lib/cli/settling.ts';
import type { LocalModel } from '../../lib/local/endpoints/bedrock.ts';
import { offlineReader } from '../../lib/local/reader/reader.ts';
import type { CaseId } from '../../lib/provenance/identifiers.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';
import { mailOf } from '../support/letters.ts';
import { scriptedModel } from '../support/script.ts';

const maya = 'maya@family.example';

describe('a case that could not go on', () => {
  let office: EmbeddedOffice;
  let answers: LocalModel = scriptedModel([]);

  beforeAll(async () => {
    office = await embeddedOffice({ model: (request, id) => answers(request, id) });
  });
  afterAll(() => office.running.close());

  it('is parked after two answers without a tool use, and resumed once the model behaves', async () => {
    const raw = await mailOf({
      from: `Maya <${maya}>`,
      to: 'care@inbox.example',
      subject: 'Receipt 7001',
      text: 'Receipt for your purchase\nLamp GBP 12.50\nOrder number 7001\n',
    });
    const parked = await office.hand(raw, maya);
    expect(parked).toMatchObject({ status: 'parked', reason: 'MODEL_NO_TOOL_USE', actions: [] });

    answers = offlineReader;
    const { lambda, circle } = office.office;
    const payload = Buffer.from(JSON.stringify({ circle, case: parked.case }));
    const answer = await lambda.send(new InvokeCommand({ FunctionName: 'resume', Payload: payload }));
    const { execution } = JSON.parse(new TextDecoder().decode(answer.Payload)) as { execution: string };
    expect(execution).toBe(`${parked.case}-r1`);
    const [after] = await settle(office, [parked.case as CaseId], execution);
    expect(after?.status).not.toBe('parked');
    expect(after?.category).toBe('receipt');

    const again = await lambda.send(new InvokeCommand({ FunctionName: 'resume', Payload: payload }));
    expect(JSON.parse(new TextDecoder().decode(again.Payload))).toMatchObject({ errorType: 'INVALID_INPUT' });
  }, 60_000);
});
