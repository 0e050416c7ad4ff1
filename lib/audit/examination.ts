import type { CaseKey } from '../casefile/layout.ts';
import type { Pointer } from '../casefile/record.ts';
import type { ObjectStore, StoredObject } from '../casefile/store.ts';
import type { ConsentVerifier } from '../policy/consent.ts';
import type { CompiledPolicy } from '../policy/rules.ts';
import type { Call } from '../proposal/call.ts';
import type { Sha256 } from '../provenance/digest.ts';
import { type Dossier, findIntact, readDossier } from './dossier.ts';
import type { AuditFinding, FindingCode } from './finding.ts';
import type { HistoryEvent } from './history.ts';

export interface AuditParts {
  readonly store: ObjectStore;
  readonly caseKey: CaseKey;
  /** The histories of the case's executions, one after the other, where there are any. */
  readonly history: readonly HistoryEvent[] | undefined;
  readonly verifyConsent: ConsentVerifier;
  /** Who looks at the circle's folders of effects: this audit (the default), or one of the whole circle, once. */
  readonly folders?: 'here' | 'elsewhere' | undefined;
}

/** One audit under way: the case file as it was read, what was rebuilt from it, and what did not agree. */
export class Examination {
  readonly parts: AuditParts;
  readonly dossier: Dossier;
  /** The calls that proposals, evidence and recorded circle give, by action. */
  readonly calls = new Map<number, Call>();
  /** The recorded policies, compiled, by their digest; nothing for one that cannot be used. */
  readonly policies = new Map<Sha256, CompiledPolicy | undefined>();
  readonly #findings = new Map<string, AuditFinding>();
  readonly #read = new Map<string, StoredObject | undefined>();
  readonly #damaged = new Set<string>();

  constructor(parts: AuditParts, dossier: Dossier) {
    this.parts = parts;
    this.dossier = dossier;
  }

  /** Everything that did not agree, each thing once. */
  get findings(): AuditFinding[] {
    return [...this.#findings.values()];
  }

  found(code: FindingCode, key: string, about: Omit<AuditFinding, 'code' | 'key'> = {}): void {
    // What is there and damaged is not missing too.
    if (code === 'OBJECT_DAMAGED') this.#damaged.add(key);
    if (code.endsWith('_MISSING') && this.#damaged.has(key)) return;
    const id = `${code} ${key}`;
    if (!this.#findings.has(id)) this.#findings.set(id, { code, key, ...about });
  }

  /** An object as it lies in the store now, inside the case file or outside. Read once in an audit. */
  async object(key: string): Promise<StoredObject | undefined> {
    const known = this.dossier.objects.get(key);
    if (known !== undefined) return known;
    if (!this.#read.has(key)) {
      const object = await findIntact(this.parts.store, key);
      if (object === 'damaged') this.found('OBJECT_DAMAGED', key);
      this.#read.set(key, object === 'damaged' ? undefined : object);
    }
    return this.#read.get(key);
  }

  /** The object that a pointer names, if it is the one that it means. */
  async follow(pointer: Pointer, action?: number): Promise<StoredObject | undefined> {
    const object = await this.object(pointer.key);
    if (object?.sha256 === pointer.sha256) return object;
    this.found('POINTER_BROKEN', pointer.key, { action, expected: pointer.sha256, found: object?.sha256 });
    return undefined;
  }
}

/** Reads a case file for an audit. */
export async function beginExamination(parts: AuditParts): Promise<Examination> {
  const examination = new Examination(parts, await readDossier(parts.store, parts.caseKey));
  for (const { code, key, found } of examination.dossier.unreadable) examination.found(code, key, { found });
  return examination;
}
