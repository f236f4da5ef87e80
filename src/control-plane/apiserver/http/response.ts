import type { Status } from '../api-error.ts';

/** Response to a client. */
export type HttpResponse =
  | WholeResponse
  | StreamResponse
  | BytesResponse
  | PartsResponse
  | EncodedResponse
  | UpgradedResponse;

/** Response before its format is chosen. */
export type DraftResponse = HttpResponse | ListResponse;

export interface WholeResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamResponse {
  readonly status: number;
  readonly type: string;
  /** Pieces as they become available; the iteration ends when the client disconnects. */
  readonly pieces: AsyncIterable<string | Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Holds a body so long that it is produced part by part, as the client reads it. */
export interface PartsResponse {
  readonly status: number;
  readonly type: string;
  readonly parts: Iterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Holds a large body that is encoded on another thread, part by part, as the client reads it. */
export interface EncodedResponse {
  readonly status: number;
  readonly type: string;
  readonly encoded: AsyncIterable<string | Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Holds a list, which is assembled item by item. */
export interface ListResponse {
  readonly status: number;
  /** All fields of the list except the items. */
  readonly head: object;
  readonly field: 'items' | 'rows';
  /** Items as JSON texts, each produced when it is consumed. */
  readonly items: Iterable<string>;
  /** Prefix that every item's text lacks. Prepending it would copy the text. */
  readonly opening?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Holds a finished body that is sent as is, never indented or converted to YAML. */
export interface BytesResponse {
  readonly status: number;
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Indicates that the connection was taken over, and that its response is handled there. */
export interface UpgradedResponse {
  readonly status: 101;
  readonly type: '';
  readonly upgraded: true;
}

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
/** Options for YAML with sorted keys, as the API server writes it. */
export const YAML_OPTIONS = { sortMapEntries: true, lineWidth: 0, version: '1.1', indentSeq: false } as const;

export function json(status: number, text: string): WholeResponse {
  return { status, type: JSON_TYPE, body: text };
}

export function plain(status: number, text: string): WholeResponse {
  return { status, type: 'text/plain; charset=utf-8', body: text };
}

export function statusResponse(status: Status): WholeResponse {
  const retry = status.details?.retryAfterSeconds;
  return {
    ...json(status.code ?? 200, JSON.stringify(status)),
    ...(retry === undefined ? {} : { headers: { 'retry-after': String(retry) } }),
  };
}
