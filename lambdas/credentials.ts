import { CaregateError } from '../lib/errors.ts';

/** The keys of a function's role. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * What the bundles have in place of the SDK's chain of credential providers: a function gets the keys of its role in its
 * environment and nowhere else, and the chain (profiles, single sign-on, instance metadata) is a hundred kilobytes
 * that every cold start would read.
 */
export const defaultProvider = () => async (): Promise<Credentials> => {
  const { AWS_SESSION_TOKEN: sessionToken } = process.env;
  return {
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
};

function required(name: 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY'): string {
  const value = process.env[name];
  if (value !== undefined && value !== '') return value;
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `setting \`${name}\` is missing; give the function a role`,
  );
}
