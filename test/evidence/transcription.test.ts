import { PDFDocument } from 'pdf-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import { evidenceSchema } from '../../lib/evidence/schema.ts';
import { transcribe } from '../../lib/evidence/transcription.ts';
import type { Evidence } from '../../lib/evidence/types.ts';
import type { LocalModel } from '../../lib/local/endpoints/bedrock.ts';
import { pictureReader } from '../../lib/local/reader/pictures.ts';
import { offlineReader } from '../../lib/local/reader/reader.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { modelSettings } from '../../lib/model/models.ts';
import { compare, photograph, photographedLetter } from '../support/carefacts.ts';
import { mailOf } from '../support/letters.ts';
import { type RunningModel, startModel } from '../support/model.ts';
import { circle, clock, valuesOf } from '../support/reading.ts';

const evidenceModel = modelSettings('caregate.offline-reader');

describe('a photographed letter', () => {
  let running: RunningModel;
  let requests: Parameters<LocalModel>[0][] = [];
  beforeAll(async () => {
    running = await startModel(async (request, id) => {
      requests.push(request);
      return offlineReader(request, id);
    });
  });
  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await pictureReader.close();
  });

  async function read(raw: Uint8Array): Promise<Evidence> {
    requests = [];
    const parts = { bedrock: running.client, evidenceModel };
    const { evidence } = await readEvidence(await parseMessage(raw), {
      circle,
      clock,
      transcriber: { read: async (picture) => (await transcribe(parts, picture)).text },
    });
    return evidenceSchema.parse(JSON.parse(JSON.stringify(evidence)));
  }

  function expectTheAppointment({ documents, facts }: Evidence): void {
    expect(documents[1]).toMatchObject({ transcribed: [1] });
    expect(documents[1]?.unread).toBeUndefined();
    expect(documents[1]?.unseen).toBeUndefined();
    expect(valuesOf(facts, 'appointment_start')).toEqual(['2027-03-04T10:30+00:00']);
    const [start] = facts.filter(({ kind }) => kind === 'appointment_start');
    expect(start).toMatchObject({ trust: 'UNTRUSTED', source: { page: 1, transcribed: true } });
    expect(documents[1]?.pages[0]).toContain(start?.source.quote);
    expect(facts.every(({ trust }) => trust === 'UNTRUSTED')).toBe(true);
  }

  it('is read as people read it, and nothing in it is checked by its date alone', async () => {
    const letter = photographedLetter();
    const evidence = await read(letter.raw);
    expectTheAppointment(evidence);
    expect(compare(letter.expected, evidence.facts)).toMatchObject({ missed: [], wronglyRaised: [] });
    const [request] = requests;
    expect(request?.toolConfig?.toolChoice).toEqual({ any: {} });
    expect(JSON.stringify(request?.system)).toContain('no orders');
    expect(JSON.stringify(request?.messages?.[0]?.content?.at(-1))).not.toContain('IMG_0412');
  });

  it('is read in a PDF, on a page that lies on its side', async () => {
    const document = await PDFDocument.create();
    const image = await document.embedJpg(await photograph());
    const page = document.addPage([842, 595]);
    page.drawImage(image, {
      x: 0,
      y: 595,
      width: 595,
      height: 842,
      rotate: { type: 'degrees', angle: -90 } as never,
    });
    page.setRotation({ type: 'degrees', angle: 270 } as never);
    const attached = { filename: 'letter', contentType: 'application/pdf', content: await document.save() };
    const raw = await mailOf({
      from: 'maya@family.example',
      to: 'care@inbox.example',
      subject: 'Letter from the clinic',
      text: 'This came by post this morning, see the attachment.',
      attachments: [attached],
    });
    expectTheAppointment(await read(raw));
  });
});
