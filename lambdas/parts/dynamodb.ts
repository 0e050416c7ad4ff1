import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { part } from './part.ts';

export const dynamodb = part(() => new DynamoDBClient());
