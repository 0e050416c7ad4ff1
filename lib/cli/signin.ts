import { setTimeout as wait } from 'node:timers/promises';
import { openDataDirectory } from '../local/datadirectory.ts';
import { awaitGrant, requestCode } from '../local/oauth/device.ts';
import { signInProvider } from '../local/oauth/provider.ts';
import { keepGrant } from '../local/oauth/signin.ts';
import { systemClock } from '../provenance/clock.ts';
import { createOutput } from './output.ts';
import type { CommonOptions } from './session.ts';

/** Signs in to the household's mail provider by a code that a person types in on a page of the provider's. */
export async function signIn(options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const provider = signInProvider(process.env);
  const { signIn: file } = openDataDirectory(options.data);
  const code = await requestCode(provider, systemClock);
  const { address, addressWithCode, expires } = code;
  const minutes = Math.ceil((expires - systemClock.now()) / 60_000);
  output.object({ address, addressWithCode, code: code.code, expires: new Date(expires).toISOString() });
  output.line(`Open ${address} on any device and type in the code ${code.code}.`);
  output.line('Sign in there as the account whose mail it is.');
  output.progress(`waiting for the sign-in, ${minutes} minutes at the most`);
  const grant = await awaitGrant(provider, code, { clock: systemClock, wait: (time) => wait(time) });
  await keepGrant(file, provider, grant);
  const lasting = grant.refresh !== undefined;
  output.object({ signedIn: true, lasting });
  output.line('Signed in. Mail is picked up and sent with it from now on.');
  if (!lasting) output.line(`The provider gave nothing to renew it with: it ends at ${grant.expires}.`);
}
