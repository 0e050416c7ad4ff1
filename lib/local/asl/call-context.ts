/**
 * What a called function is given beside its payload. Most never look at their signal, and a controller costs
 * more than everything else that a call needs, so it is made when somebody looks.
 */
export class CallContext {
  #controller: AbortController | undefined;
  #interrupted = false;

  /** Aborted when the call has timed out, or its execution has ended. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#interrupted) this.#controller.abort();
    return this.#controller.signal;
  }

  interrupt(): void {
    this.#interrupted = true;
    this.#controller?.abort();
  }
}
