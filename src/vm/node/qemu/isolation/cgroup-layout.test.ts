import { describe, expect, it } from 'vitest';
import { cgroupLayout, limitFiles, machineLimits, oomKills } from './cgroup-layout.ts';

const V1 = `30 20 0:25 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
31 20 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
32 20 0:27 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`;
const V2 = '30 20 0:25 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n';

describe('the cgroups of a process', () => {
  it.each([
    [
      '4:memory:/user\n1:cpu,cpuacct:/\n0::/\n',
      V1,
      '',
      { version: 1, memory: '/sys/fs/cgroup/memory/user', cpu: '/sys/fs/cgroup/cpu,cpuacct' },
    ],
    ['4:memory:/\n0::/\n', V1, '', { version: 1, memory: '/sys/fs/cgroup/memory' }],
    [
      '0::/user.slice/vimana.service\n',
      V2,
      'cpu io memory pids\n',
      {
        version: 2,
        memory: '/sys/fs/cgroup/user.slice/vimana.service',
        cpu: '/sys/fs/cgroup/user.slice/vimana.service',
      },
    ],
    ['0::/user.slice\n', V2, 'pids\n', undefined],
    ['', '', '', undefined],
  ])('%j are found', (cgroup, mountinfo, controllers, layout) => {
    expect(cgroupLayout(cgroup, mountinfo, controllers)).toEqual(layout);
  });

  it('are found in a container, whose mounts begin at its own cgroup', () => {
    const mounts = '31 20 0:26 /pod/a /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n';
    expect(cgroupLayout('4:memory:/pod/a/b\n', mounts, '')).toEqual({ version: 1, memory: '/sys/fs/cgroup/memory/b' });
  });

  it('are limited by files of their version', () => {
    const limits = { memoryBytes: 1000, cpus: 1.5 };
    expect(limitFiles(1, 'memory', limits)).toEqual([['memory.limit_in_bytes', '1000']]);
    expect(limitFiles(2, 'memory', limits)).toEqual([['memory.max', '1000']]);
    expect(limitFiles(2, 'cpu', limits)).toEqual([['cpu.max', '150000 100000']]);
    expect(limitFiles(1, 'cpu', limits)).toEqual([
      ['cpu.cfs_period_us', '100000'],
      ['cpu.cfs_quota_us', '150000'],
    ]);
  });
});

it('limits a machine to what its guest and QEMU need', () => {
  expect(machineLimits(2 ** 30, 2)).toEqual({ memoryBytes: 2 ** 30 + 2 ** 26 + 2 ** 28, cpus: 2.5 });
});

it('counts processes that were killed for want of memory', () => {
  expect(oomKills('oom_kill_disable 0\nunder_oom 0\noom_kill 2\n')).toBe(2);
  expect(oomKills('low 0\nhigh 0\n')).toBe(0);
});
