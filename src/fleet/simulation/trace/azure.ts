import { CsvRecord } from './csv-record.ts';
import type { TraceFormat } from './trace-format.ts';

const SECOND = 1_000;

/** Columns of vmtable.csv of the Azure Public Dataset, V1 and V2. */
const VMS = [
  'vmid',
  'subscriptionid',
  'deploymentid',
  'vmcreated',
  'vmdeleted',
  'maxcpu',
  'avgcpu',
  'p95maxcpu',
  'vmcategory',
  'vmcorecount',
  'vmmemory',
];
/** Columns of vm_cpu_readings-file-*.csv. Readings are percent of the VM. */
const READINGS = ['timestamp', 'vmid', 'mincpu', 'maxcpu', 'avgcpu'];

export const azureFormat: TraceFormat = {
  id: 'azure',
  readVm({ text, ...place }, { vms, problems }) {
    const record = CsvRecord.parse(text, VMS, place, problems);
    if (record === undefined) return;
    const [id, created, deleted] = [record.text('vmid'), record.number('vmcreated'), record.number('vmdeleted')];
    const [cores, memoryGi] = [record.bucket('vmcorecount'), record.bucket('vmmemory')];
    if (id === undefined || created === undefined || deleted === undefined) return;
    if (cores === undefined || memoryGi === undefined) return;
    vms.add({ id, cores, memoryGi, createdAt: created * SECOND, deletedAt: deleted * SECOND });
  },
  readUsage({ text, ...place }, { vms, problems }) {
    const record = CsvRecord.parse(text, READINGS, place, problems);
    if (record === undefined) return;
    const [at, id, cpu] = [record.number('timestamp'), record.text('vmid'), record.measured('avgcpu')];
    if (at !== undefined && id !== undefined && cpu !== undefined) vms.measure(id, at * SECOND, cpu / 100);
  },
};
