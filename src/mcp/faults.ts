// What went wrong with a server, in words for the model and for people: never a body, an address or a value of the configuration.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { plainLine } from './outside-text.ts';

const MAX_WORDS = 300;

/** `it …`, without a full stop. `seconds`: how long was waited. */
export function faultInWords(error: unknown, seconds: number, withoutSecrets: (text: string) => string): string {
  const words = (text: string): string => plainLine(withoutSecrets(text), MAX_WORDS);
  if (error instanceof SdkHttpError) return httpFault(error);
  if (error instanceof SdkError) return sdkFault(error, seconds);
  if (error instanceof ProtocolError) return `it refused: ${words(error.message)} (code ${error.code})`;
  const code = errorCode(error);
  if (code === 'ENOENT') return 'its program was not found: the operator should check command and PATH';
  if (code === 'EACCES') return 'its program may not be executed: the operator should check its permissions';
  if (code !== null) return `it could not be reached (${words(code)})`;
  if (error instanceof Error && error.name === 'TimeoutError') return silence(seconds);
  return `it did not speak the protocol (${words(error instanceof Error ? error.name : typeof error)})`;
}

export function isStaleSession(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

/** The server was reached and will not do what was asked in the way it was asked. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkHttpError && error.status === 400);
}

export function isSilence(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** The server spoke and refused: the connection itself is sound. */
export function isAnswer(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult);
}

function httpFault({ status }: SdkHttpError): string {
  if (status >= 300 && status < 400) {
    return `it sent us to another address (HTTP ${status}), which was not followed: the operator should write the final address`;
  }
  const repair = status === 401 || status === 403 ? ': the operator should check the headers of its entry' : '';
  return `it answered with HTTP ${status}${repair}`;
}

function sdkFault({ code }: SdkError, seconds: number): string {
  switch (code) {
    case SdkErrorCode.RequestTimeout:
      return silence(seconds);
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
      return 'it ended or closed the connection';
    case SdkErrorCode.InvalidResult:
      return 'its answer was no valid result of the protocol';
    default:
      return `it did not speak the protocol as expected (${code})`;
  }
}

function silence(seconds: number): string {
  return `it did not answer within ${seconds} s`;
}

function errorCode(error: unknown): string | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 4; inner = inner.cause, depth += 1) {
    const code: unknown = Reflect.get(inner, 'code');
    if (typeof code === 'string' && /^[A-Z_0-9]{3,60}$/.test(code)) return code;
  }
  return null;
}
