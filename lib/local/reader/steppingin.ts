import { modelSettings } from '../../model/models.ts';
import type { LocalModel } from '../endpoints/bedrock.ts';
import { ServiceFault } from '../endpoints/fault.ts';
import type { Troubles } from '../troubles.ts';
import type { OwnModel } from './ownmodel.ts';
import { offlineReader } from './reader.ts';

/** What records call the offline reader. */
export const offlineReaderId = 'offline-reader';

/** Faults that say that the model is refused to us or not there: they end when somebody changes a setting. */
const refusals: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'ResourceNotFoundException',
]);

/**
 * The household's model, and beside it the offline reader, each asked by its id. That the own model gives no answer is
 * a trouble that is told of; the functions then ask for the offline reader by its own id, so that what is recorded
 * names the one that answered.
 */
export function besideOfflineReader(own: OwnModel, troubles: Pick<Troubles, 'report' | 'clear'>): LocalModel {
  return async (request, modelId) => {
    if (modelId === offlineReaderId) return offlineReader(request, modelId);
    try {
      const response = await own.ask(request, modelId);
      troubles.clear('model-unreachable', 'model-refuses', 'model-slow');
      return response;
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      if (refusals.has(error.fault)) {
        troubles.report('model-refuses', error.fault);
        // A refusal passes for an absence: at home nobody would notice that every mail is asked about.
        throw new ServiceFault(503, 'ServiceUnavailableException', 'the model is refused to this office');
      }
      if (error.status === 408) troubles.report('model-slow', error.fault);
      if (error.status === 429 || error.status >= 500) troubles.report('model-unreachable', error.fault);
      throw error;
    }
  };
}

/** What the functions are told of their model: its id, and that the offline reader is asked when it is away. */
export function settingsWithOfflineReader({ id }: Pick<OwnModel, 'id'>): string {
  const { family } = modelSettings(id);
  return JSON.stringify({ id, fallback: { id: offlineReaderId, family } });
}
