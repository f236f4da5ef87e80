import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type BrowserBundle, bundleProgram } from '../../tools/browser/bundle.ts';
import type { JourneyResult } from './journey.ts';

/** Globals that every browser has in pages and workers, and nothing that only Node.js has. */
const WEB_GLOBALS = {
  AbortController,
  AbortSignal,
  DOMException,
  Event,
  EventTarget,
  MessageChannel,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
  btoa,
  clearInterval,
  clearTimeout,
  crypto,
  performance,
  queueMicrotask,
  setInterval,
  setTimeout,
  structuredClone,
};

describe('a control plane in a browser', async () => {
  const bundle = await bundleProgram('test/browser/journey.ts', 'playground');

  it('is bundled without Node.js', () => {
    expect(bundle.nodeImports).toEqual([]);
    expect(bundle.nodeGlobals).toEqual([]);
  });

  it('runs a VM on its nodes', async () => {
    const { readyNodes, vmStatus, pods, podsLeft, openApiPaths, rejection } = await runInPage(bundle);
    expect(readyNodes).toEqual(['node-1', 'node-2', 'node-3']);
    expect(vmStatus).toBe('Running');
    expect(pods).toEqual([expect.stringMatching(/^node-[123] Running$/)]);
    expect(podsLeft).toBe(0);
    expect(openApiPaths).toBeGreaterThan(20);
    expect(rejection).toContain('spec.template');
  });
});

/** Runs the journey in a context that has only what a browser has. */
async function runInPage({ code }: BrowserBundle): Promise<JourneyResult> {
  const page = createContext({ ...WEB_GLOBALS });
  return (await runInContext(`${code}\nplayground.runJourney();`, page)) as JourneyResult;
}
