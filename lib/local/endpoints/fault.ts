import { CaregateError, type ErrorCode } from '../../errors.ts';
import type { ServiceResponse } from './service.ts';
import { element } from './xml.ts';

/**
 * A refusal in AWS's terms. A service throws it, and the endpoint writes it in the form of the service's protocol, so
 * that the SDK throws the very exception that it throws for AWS.
 */
export class ServiceFault extends CaregateError {
  readonly status: number;
  /** AWS's name of the error, e.g. `NoSuchKey`. */
  readonly fault: string;

  constructor(status: number, fault: string, message: string, code: ErrorCode = 'INVALID_INPUT') {
    super(code, message);
    this.status = status;
    this.fault = fault;
  }
}

/**
 * What a service answers when the reply is to be lost although the work was done: the endpoint drops the connection.
 * Only a test's fault injection asks for it.
 */
export const replyLost: ServiceResponse = { status: 0 };

/** The refusal as the service's protocol writes it: S3's XML, the query protocol's XML (SES), or JSON. */
export function faultResponse(service: string, fault: ServiceFault, requestId: string): ServiceResponse {
  if (service === 's3') return xmlFault(fault.status, s3Error(fault, requestId));
  if (service === 'ses') return xmlFault(fault.status, queryError(fault, requestId));
  return {
    status: fault.status,
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': fault.fault },
    body: JSON.stringify({ __type: fault.fault, message: fault.message, Message: fault.message }),
  };
}

function xmlFault(status: number, body: string): ServiceResponse {
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

function s3Error(fault: ServiceFault, requestId: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('Error', [
    element('Code', fault.fault),
    element('Message', fault.message),
    element('RequestId', requestId),
  ])}`;
}

function queryError(fault: ServiceFault, requestId: string): string {
  const error = element('Error', [
    element('Type', fault.status < 500 ? 'Sender' : 'Receiver'),
    element('Code', fault.fault),
    element('Message', fault.message),
  ]);
  return element('ErrorResponse', [error, element('RequestId', requestId)]);
}
