import { JsonRecord } from './json-record.ts';
import type { TraceFormat } from './trace-format.ts';

const MICROSECOND = 1e-3;
/** Types of events by name and number: the start of an instance, and its ends. */
const STARTS = new Set(['SCHEDULE', '3']);
const ENDS = new Set(['EVICT', '4', 'FAIL', '5', 'FINISH', '6', 'KILL', '7', 'LOST', '8']);
/** Sets of reservations, in which other instances run that are also listed. */
const ALLOC_SETS = new Set(['ALLOC_SET', '1']);

/**
 * Tables instance_events and instance_usage of Google's cluster-usage traces v3, as BigQuery exports them: a JSON object in
 * each line. Resources are fractions of the largest machine, and times are microseconds.
 */
export const googleFormat: TraceFormat = {
  id: 'google',
  readVm({ text, ...place }, { vms, machine, problems }) {
    const record = JsonRecord.parse(text, place, problems);
    if (record === undefined) return;
    const [id, time, type] = [idOf(record), record.number('time'), record.word('type')];
    if (id === undefined || time === undefined || type === undefined) return;
    if (ALLOC_SETS.has(record.optionalWord('collection_type') ?? '')) return;
    if (ENDS.has(type)) vms.end(id, time * MICROSECOND);
    if (!STARTS.has(type)) return;
    const isPositive = (value: number) => value > 0;
    const cpus = record.number('resource_request.cpus', isPositive);
    const memory = record.number('resource_request.memory', isPositive);
    if (cpus === undefined || memory === undefined) return;
    const size = { cores: cpus * machine.cores, memoryGi: memory * machine.memoryGi };
    vms.add({ id, ...size, createdAt: time * MICROSECOND, deletedAt: Number.POSITIVE_INFINITY });
  },
  readUsage({ text, ...place }, { vms, machine, problems }) {
    const record = JsonRecord.parse(text, place, problems);
    if (record === undefined) return;
    const [id, time] = [idOf(record), record.number('start_time')];
    const [cpus, memory] = [record.number('average_usage.cpus'), record.number('average_usage.memory')];
    if (id === undefined || time === undefined || cpus === undefined || memory === undefined) return;
    const vm = vms.get(id);
    if (vm === undefined) return;
    const used = [(cpus * machine.cores) / vm.cores, (memory * machine.memoryGi) / vm.memoryGi] as const;
    vms.measure(id, time * MICROSECOND, ...used);
  },
};

function idOf(record: JsonRecord): string | undefined {
  const [collection, index] = [record.word('collection_id'), record.word('instance_index')];
  return collection === undefined || index === undefined ? undefined : `${collection}-${index}`;
}
