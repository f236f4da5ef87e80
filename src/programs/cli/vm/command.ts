import { type Command, Option } from 'commander';
import { CheckedCommand } from '../checked-command.ts';
import { withConnectionFlags } from '../connection.ts';
import type { VmDeps } from '../vm-deps.ts';
import { VM_GROUPS } from '../vm-groups.ts';
import { addConsoleCommand } from './access/console.ts';
import { addExecCommand } from './access/exec.ts';
import { addLogsCommand } from './access/logs.ts';
import { addPortForwardCommand } from './access/port-forward.ts';
import { addScreenshotCommand } from './access/screenshot.ts';
import { addSshCommands } from './access/ssh.ts';
import { addVncCommand } from './access/vnc.ts';
import { addCreateCommand } from './create.ts';
import { addDeleteCommand } from './delete.ts';
import { addDescribeCommand } from './describe.ts';
import { addEventsCommand } from './events.ts';
import { addExpandCommand } from './expand.ts';
import { addListCommands } from './list.ts';
import { addOperationCommands } from './operate.ts';
import { addPowerCommands } from './power.ts';

/** Builds `vimana vm`, which manages VMs of every API group on any cluster. */
export function vmCommand(parts: VmDeps): Command {
  const vm = withConnectionFlags(new CheckedCommand('vm'))
    .description('manage virtual machines of every API group, on any cluster')
    .addOption(new Option('-g, --group <group>', 'only VMs of this API group').choices([...VM_GROUPS]));
  addListCommands(vm, parts);
  addCreateCommand(vm, parts);
  addDeleteCommand(vm, parts);
  addPowerCommands(vm, parts);
  addConsoleCommand(vm, parts);
  addVncCommand(vm, parts);
  addScreenshotCommand(vm, parts);
  addSshCommands(vm, parts);
  addPortForwardCommand(vm, parts);
  addLogsCommand(vm, parts);
  addExecCommand(vm, parts);
  addOperationCommands(vm, parts);
  addDescribeCommand(vm, parts);
  addExpandCommand(vm, parts);
  addEventsCommand(vm, parts);
  return vm;
}
