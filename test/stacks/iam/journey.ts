import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { LocalModel } from '../../../lib/local/endpoints/bedrock.ts';
import { mailedLinks } from '../../../lib/local/outboxcodes.ts';
import { offlineReader } from '../../../lib/local/reader/reader.ts';
import { systemClock } from '../../../lib/provenance/clock.ts';
import { samples } from '../../../samples/index.ts';
import { type EmbeddedOffice, embeddedOffice } from '../../support/embedded.ts';
import { mailOf } from '../../support/letters.ts';
import { scriptedModel } from '../../support/script.ts';
import { recordCalls, type ServiceCall } from './recorder.ts';

const maya = 'maya@family.example';
const ambiguous =
  'Your appointment for a cardiology review is on 03/04 at 10:30.\n\nWhere: Northgate Cardiology, Room 4\n';

/**
 * Runs what a household meets in its first days in an embedded office, every function at least once: the samples, an
 * approval, a refusal, an answer, a mail that is released from quarantine, a case that was parked and resumed, a run
 * that was stopped, the pages and the sweep.
 * @returns every call of a service that a function made
 */
export async function recordJourney(): Promise<readonly ServiceCall[]> {
  const recorder = recordCalls();
  let answers: LocalModel = offlineReader;
  try {
    const office = await embeddedOffice({
      model: (request, id) => answers(request, id),
      circleFile: circleByDay(),
    });
    try {
      await decideOnSamples(office);
      await declineLetter(office);
      await answerQuestion(office);
      await resumeHeld(office);
      await releaseStranger(office);
      answers = scriptedModel([]);
      const parked = await office.hand(
        await letter('Receipt 7001', 'Receipt for your purchase\nLamp GBP 12.50\n'),
        maya,
      );
      answers = offlineReader;
      await invoke(office, 'resume', { circle: office.office.circle, case: parked.case });
      await office.running.idle();
      await stopRun(office);
      // Not `/`: at home it lists the cases, and a deployment lists none.
      for (const path of ['/healthz', '/release.json']) await fetch(`${office.running.web}${path}`);
      await office.running.sweep();
      await office.running.idle();
    } finally {
      await office.running.close();
    }
  } finally {
    recorder.stop();
  }
  return recorder.calls;
}

/** The example circle where it is noon now, wherever that is: its quarantine is told of by day. */
function circleByDay(): string {
  const ahead = 12 - new Date(systemClock.now()).getUTCHours();
  const zone = ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
  const file = join(mkdtempSync(join(tmpdir(), 'caregate-circle-')), 'circle.yaml');
  const text = readFileSync('rules/circle.example.yaml', 'utf8');
  writeFileSync(file, text.replace(/^timezone: .*$/m, `timezone: ${zone}`));
  return file;
}

async function decideOnSamples(office: EmbeddedOffice): Promise<void> {
  for (const { raw, from } of await samples(systemClock, office.running.circle)) {
    const report = await office.hand(raw, from);
    for (const { id } of report.approvals) {
      const link = await office.link(id);
      await fetch(link.url);
      await fetch(`${link.url}/case`);
      await office.submit({ ...link, url: `${link.url}/code` }, {});
      const choice = report.status === 'awaiting_answer' ? 'answer' : 'approve';
      await office.submit(link, { code: link.code, choice, answer: '3 April at 10:30' });
      await office.settled(report.case);
      await fetch(`${link.url}/case`);
    }
  }
}

async function declineLetter(office: EmbeddedOffice): Promise<void> {
  const text =
    'Please send us the consent form. Reply to records@hillside-clinic.example.\n\nHillside Clinic records office\n';
  const report = await office.hand(await letter('Fwd: records request', text), maya);
  const link = await office.link(report.approvals[0]?.id);
  await office.submit(link, { code: link.code, choice: 'decline', reason: 'I will call them' });
  await office.settled(report.case);
}

async function releaseStranger(office: EmbeddedOffice): Promise<void> {
  await invoke(office, 'request-release', {});
  const released = new Set(
    (await office.office.register.listOpen(office.office.circle)).map(({ id }) => `${id}`),
  );
  const link = (await mailedLinks(office.outbox)).find(({ approval }) => released.has(approval));
  if (link === undefined) throw new Error('no link to release a mail was sent');
  await fetch(link.url);
  await office.submit(link, { code: link.code, choice: 'approve' });
  await office.running.idle();
}

async function answerQuestion(office: EmbeddedOffice): Promise<void> {
  const report = await office.hand(await letter('Cardiology review', ambiguous), maya);
  const link = await office.link(report.approvals[0]?.id);
  const year = new Date(systemClock.now()).getUTCFullYear() + 1;
  await office.submit(link, { code: link.code, choice: 'answer', answer: `3 April ${year} at 10:30` });
  await office.settled(report.case);
}

/** A mail in quarantine is also released by whoever runs the office, without a link. */
async function resumeHeld(office: EmbeddedOffice): Promise<void> {
  const raw = await mailOf({
    from: 'Someone <someone@elsewhere.example>',
    to: 'care@inbox.example',
    subject: 'Receipt 4411',
    text: 'Receipt for your purchase\nKettle GBP 29.99\nThank you for your order.\n',
  });
  const held = await office.hand(raw, 'someone@elsewhere.example');
  await invoke(office, 'resume', { circle: office.office.circle, case: held.case });
  await office.running.idle();
}

/** A run that an operator stops is no ending that the machine knows: it is reported. */
async function stopRun(office: EmbeddedOffice): Promise<void> {
  const report = await office.hand(await letter('Cardiology review again', ambiguous), maya);
  const { sfn, file } = office.office;
  const executionArn = `${file.machine.replace(':stateMachine:', ':execution:')}:${report.case}`;
  await sfn.send(new StopExecutionCommand({ executionArn }));
  await office.running.idle();
}

function letter(subject: string, text: string): Promise<Uint8Array> {
  return mailOf({ from: `Maya <${maya}>`, to: 'care@inbox.example', subject, text });
}

async function invoke(office: EmbeddedOffice, name: string, payload: object): Promise<void> {
  const answer = await office.office.lambda.send(
    new InvokeCommand({ FunctionName: name, Payload: Buffer.from(JSON.stringify(payload)) }),
  );
  if (answer.FunctionError !== undefined)
    throw new Error(`\`${name}\`: ${Buffer.from(answer.Payload ?? []).toString()}`);
}
