import { InvokeCommand } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { caseIdSchema } from '../casefile/schemas.ts';
import { CaregateError, type ErrorCode, errorCodes } from '../errors.ts';
import type { OfficeConnection } from '../local/connection.ts';
import { findCase } from './caselookup.ts';
import { createOutput } from './output.ts';
import { type CommonOptions, withOffice } from './session.ts';
import { settle } from './settling.ts';
import { resultTable } from './table.ts';

const resumedSchema = z.object({ case: caseIdSchema, execution: z.string() });
const failureSchema = z.object({ errorType: z.string(), errorMessage: z.string() });

/** Takes a case up again, and waits until it is closed or waits for a person. */
export async function resume(given: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  await withOffice(options, async (session) => {
    const entry = await findCase(session.office, given);
    const resumed = await invokeResume(session.office, { circle: entry.circle, case: entry.case });
    output.progress(`resumed as ${resumed.execution}`);
    const [report] = await settle(session, [resumed.case], resumed.execution);
    if (report === undefined) return;
    output.object(report);
    for (const line of resultTable([{ name: report.case, report }])) output.line(line);
  });
}

async function invokeResume(office: OfficeConnection, key: object): Promise<z.infer<typeof resumedSchema>> {
  const answer = await office.lambda.send(
    new InvokeCommand({ FunctionName: 'resume', Payload: new TextEncoder().encode(JSON.stringify(key)) }),
  );
  const payload: unknown = JSON.parse(new TextDecoder().decode(answer.Payload));
  if (answer.FunctionError === undefined) return resumedSchema.parse(payload);
  const { errorType, errorMessage } = failureSchema.parse(payload);
  const code = errorType in errorCodes ? (errorType as ErrorCode) : 'UNEXPECTED';
  throw new CaregateError(code, errorMessage);
}
