import { S3Client } from '@aws-sdk/client-s3';
import { part } from './part.ts';

/** Every client finds its service by the environment alone: nothing here knows whether it runs on AWS or at home. */
export const s3 = part(() => new S3Client({ forcePathStyle: true }));
