import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { PDFDocument } from 'pdf-lib';
import { beforeEach, describe, expect, it } from 'vitest';
import { ObjectStore } from '../../lib/casefile/store.ts';
import { documentsOf } from '../../lib/evidence/documents.ts';
import type { Picture } from '../../lib/evidence/pages.ts';
import { withTranscripts } from '../../lib/evidence/pictures.ts';
import { CaseTranscriber } from '../../lib/evidence/transcripts.ts';
import type { LocalModel } from '../../lib/local/endpoints/bedrock.ts';
import { ServiceFault } from '../../lib/local/endpoints/fault.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { modelSettings } from '../../lib/model/models.ts';
import { startS3 } from '../support/endpoints.ts';
import { mailOf, pdfOf } from '../support/letters.ts';
import { startModel } from '../support/model.ts';
import { pictureOfText } from '../support/pictures.ts';

const key = { circle: 'household' as never, case: 'c-0001' as never };
const pictureOf = (size: number): Picture => ({ page: 1, format: 'png', bytes: pictureOfText(size, size) });
const evidenceModel = modelSettings('test.model');

/** A model that answers each request in its turn: with a text, with prose, or with a fault. */
function answering(...answers: readonly (string | 'prose' | 'fault')[]): LocalModel & { asked: number } {
  const model = async (): ReturnType<LocalModel> => {
    const answer = answers[counting.asked] ?? 'prose';
    counting.asked += 1;
    if (answer === 'fault') throw new ServiceFault(400, 'AccessDeniedException', 'no');
    const use = { toolUseId: 'a1', name: 'record_page_text', input: { text: answer } };
    const content = answer === 'prose' ? [{ text: 'I see.' }] : [{ toolUse: use }];
    return {
      output: { message: { role: 'assistant', content } },
      stopReason: 'tool_use',
      usage: undefined,
      metrics: undefined,
    };
  };
  const counting = Object.assign(model, { asked: 0 });
  return counting;
}

let store: ObjectStore;
beforeEach(async () => {
  const { client } = await startS3();
  await client.send(new CreateBucketCommand({ Bucket: 'case-files' }));
  store = new ObjectStore(client, 'case-files');
});

async function transcriberOf(model: LocalModel, callsLeft = 10) {
  const running = await startModel(model);
  return new CaseTranscriber({ store, bedrock: running.client, evidenceModel }, key, { callsLeft });
}

describe('the pictures of a case', () => {
  it('are read by a model once, however often the step is repeated', async () => {
    const model = answering('Dear Rosa');
    const first = await transcriberOf(model);
    expect(await first.read(pictureOf(300))).toBe('Dear Rosa');
    const again = await transcriberOf(model);
    expect(await again.read(pictureOf(300))).toBe('Dear Rosa');
    expect([model.asked, first.calls, again.calls]).toEqual([1, 1, 0]);
  });

  it('are shown once more where the first answer is none, and each call counts', async () => {
    const transcriber = await transcriberOf(answering('prose', 'Dear Rosa', 'prose', 'prose'));
    expect(await transcriber.read(pictureOf(300))).toBe('Dear Rosa');
    expect(await transcriber.read(pictureOf(301))).toBeUndefined();
    expect(transcriber.calls).toBe(4);
  });

  it('are left once no call is left, and once the model is not there', async () => {
    const few = await transcriberOf(answering('one', 'two', 'three'), 2);
    const read = async () => [
      await few.read(pictureOf(300)),
      await few.read(pictureOf(301)),
      await few.read(pictureOf(302)),
    ];
    expect(await read()).toEqual(['one', 'two', undefined]);
    const gone = answering('fault');
    const without = await transcriberOf(gone);
    expect([await without.read(pictureOf(310)), await without.read(pictureOf(311))]).toEqual([
      undefined,
      undefined,
    ]);
    expect(gone.asked).toBe(1);
  });
});

describe('documents with what was read from their pictures', () => {
  async function documents() {
    const pdf = await PDFDocument.load(await pdfOf([['x']]));
    const image = await pdf.embedPng(pictureOfText());
    for (let page = 0; page < 2; page += 1) {
      pdf.addPage([595, 842]).drawImage(image, { x: 0, y: 0, width: 595, height: 842 });
    }
    const raw = await mailOf({
      from: 'a@b.example',
      to: 'c@d.example',
      subject: 'x',
      text: 'see what I attached to this mail',
      attachments: [
        { filename: 'a.pdf', contentType: 'application/pdf', content: await pdf.save() },
        { filename: 'b.png', contentType: 'image/png', content: pictureOfText(400, 400) },
      ],
    });
    return documentsOf(await parseMessage(raw));
  }

  it('say page by page what was read and what nothing could read', async () => {
    const texts = new Map([[2, 'Dear Rosa']]);
    const read = async (picture: Picture) => (picture.format === 'png' ? texts.get(picture.page) : undefined);
    const [, pdf, image] = await withTranscripts(await documents(), { read });
    expect(pdf).toMatchObject({ pages: ['x', 'Dear Rosa', ''], transcribed: [2], unseen: [3] });
    expect(pdf?.unread).toBeUndefined();
    expect(image).toMatchObject({ pages: [''], unread: 'scanned', unseen: [1] });
  });

  it('are empty where a picture shows no words', async () => {
    const [, , image] = await withTranscripts(await documents(), { read: async () => '' });
    expect(image).toMatchObject({ pages: [''], unread: 'empty', transcribed: [1] });
    expect(image?.unseen).toBeUndefined();
  });
});
