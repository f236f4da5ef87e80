import { stringify } from 'yaml';
import type { Status } from '../api-error.ts';

/** What goes back to a client. */
export type HttpResponse = WholeResponse | StreamResponse | BytesResponse | PartsResponse | UpgradedResponse;

/** An answer before its format is chosen. */
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
  /** Pieces as they come; the client going away ends the iteration. */
  readonly pieces: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body so long that it is made part by part, as the client takes it. */
export interface PartsResponse {
  readonly status: number;
  readonly type: string;
  readonly parts: Iterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A list, which is put together item by item. */
export interface ListResponse {
  readonly status: number;
  /** All of its fields but the items. */
  readonly head: object;
  readonly field: 'items' | 'rows';
  /** As JSON texts, each made when it is taken. */
  readonly items: Iterable<string>;
  /** What the text of every item lacks at its beginning: putting it there would copy the text. */
  readonly opening?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A finished body that goes out as it is, never indented or turned into YAML. */
export interface BytesResponse {
  readonly status: number;
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The connection was taken over, and has been or is being answered. */
export interface UpgradedResponse {
  readonly status: 101;
  readonly type: '';
  readonly upgraded: true;
}

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
/** Keys in order, as the API server writes them. */
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

/** The same answer in YAML. */
export function asYaml(answer: WholeResponse): WholeResponse {
  return { ...answer, type: YAML_TYPE, body: stringify(JSON.parse(answer.body), YAML_OPTIONS) };
}

export function asPretty(answer: WholeResponse): WholeResponse {
  return { ...answer, body: JSON.stringify(JSON.parse(answer.body), null, 2) };
}
