import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { hasPrograms } from '#testing/programs';
import { freePorts } from '../../cluster/ports.ts';

/** Programs of the Debian package `prometheus`. */
const PROMETHEUS = 'prometheus';
export const PROMTOOL = 'promtool';

/** Reports whether the real Prometheus is installed, and prints what is skipped if it is not. */
export function hasPrometheus(what: string): boolean {
  return hasPrograms(what, PROMETHEUS, PROMTOOL);
}

/** A real Prometheus that scrapes one exporter twice a second. */
export class Prometheus {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #rules: readonly string[];

  private constructor(url: string, child: ChildProcess, folder: string, rules: readonly string[]) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
    this.#rules = rules;
  }

  /** `rules` are files of recording rules, as text. */
  static async start(exporter: string, rules: readonly string[] = []): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'vimana-prometheus-'));
    const files = rules.map((text, at) => {
      const path = join(folder, `rules-${at}.yaml`);
      writeFileSync(path, text);
      return path;
    });
    const job = { job_name: 'vimana', honor_labels: true, static_configs: [{ targets: [new URL(exporter).host] }] };
    const global = { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' };
    const config = join(folder, 'prometheus.yaml');
    writeFileSync(config, stringify({ global, rule_files: files, scrape_configs: [job] }));
    execFileSync(PROMTOOL, ['check', 'config', config], { stdio: 'ignore' });
    const [port] = await freePorts(1);
    const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
    const child = spawn(PROMETHEUS, [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`, child, folder, files);
    await prometheus.#ready();
    return prometheus;
  }

  /** Returns the output of promtool for the rules. */
  checkRules(): string {
    return execFileSync(PROMTOOL, ['check', 'rules', ...this.#rules], { encoding: 'utf8' });
  }

  /** Returns the current result of a query. */
  async query(text: string): Promise<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }[]> {
    const answer = await fetch(`${this.url}/api/v1/query?query=${encodeURIComponent(text)}`);
    const { data } = (await answer.json()) as {
      data: { result: readonly { metric: Record<string, string>; value: readonly [number, string] }[] };
    };
    return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  /** Returns the values of the result of a query. */
  ask = async (text: string): Promise<number[]> => (await this.query(text)).map(({ value }) => value);

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill();
    await gone;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    while (this.#child.exitCode === null) {
      const ready = await fetch(`${this.url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('prometheus has ended before it was ready');
  }
}
