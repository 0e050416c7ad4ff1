import * as z from 'zod';
import { standingReasons, standings } from './standing.ts';

/** Reads a stored judgement back. */
export const judgementSchema = z.strictObject({
  standing: z.enum(standings),
  reason: z.enum(standingReasons),
  sender: z.strictObject({ list: z.enum(['people', 'contacts']), id: z.string().min(1).max(120) }).optional(),
});
