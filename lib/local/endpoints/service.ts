/** One request as a loopback endpoint gives it to a service, after its signature and Host were checked. */
export interface ServiceRequest {
  readonly method: string;
  /** Percent-encoded path, as it was signed. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** One AWS service as the AWS SDK sees it. */
export interface Service {
  /** The signing name: `s3`, `states`, `kms`, `ses`, `lambda`, `bedrock`, `dynamodb`. */
  readonly name: string;
  handle(request: ServiceRequest): Promise<ServiceResponse>;
}
