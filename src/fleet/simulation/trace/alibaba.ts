import { CsvRecord } from './csv-record.ts';
import type { TraceFormat } from './trace-format.ts';

const SECOND = 1_000;

/** Columns of container_meta.csv of cluster-trace-v2018. Memory is percent of the largest machine. */
const CONTAINERS = [
  'container_id',
  'machine_id',
  'time_stamp',
  'app_du',
  'status',
  'cpu_request',
  'cpu_limit',
  'mem_size',
];
/** First columns of container_usage.csv. The others are not needed. */
const USAGE = ['container_id', 'machine_id', 'time_stamp', 'cpu_util_percent', 'mem_util_percent'];

export const alibabaFormat: TraceFormat = {
  id: 'alibaba',
  readVm({ text, ...place }, { vms, machine, problems }) {
    const record = CsvRecord.parse(text, CONTAINERS, place, problems);
    if (record === undefined) return;
    const [id, at, status] = [record.text('container_id'), record.number('time_stamp'), record.text('status')];
    const isPositive = (value: number) => value > 0;
    const [cpu, memory] = [record.number('cpu_request', isPositive), record.number('mem_size', isPositive)];
    if (id === undefined || at === undefined || cpu === undefined || memory === undefined) return;
    if (status === 'stopped') vms.end(id, at * SECOND);
    else {
      const size = { cores: cpu / 100, memoryGi: (memory / 100) * machine.memoryGi };
      vms.add({ id, ...size, createdAt: at * SECOND, deletedAt: Number.POSITIVE_INFINITY });
    }
  },
  readUsage({ text, ...place }, { vms, problems }) {
    const record = CsvRecord.parse(text, USAGE, place, problems);
    if (record === undefined) return;
    const [id, at] = [record.text('container_id'), record.number('time_stamp')];
    const [cpu, memory] = [record.measured('cpu_util_percent'), record.measured('mem_util_percent')];
    if (id === undefined || at === undefined) return;
    vms.measure(
      id,
      at * SECOND,
      cpu === undefined ? undefined : cpu / 100,
      memory === undefined ? undefined : memory / 100,
    );
  },
};
