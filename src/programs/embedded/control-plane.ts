import {
  type ControlPlane,
  type ControlPlaneOptions,
  type OpenControlPlane,
  openControlPlane,
  type ServeOptions,
} from '#control-plane/apiserver/control-plane';
import { type VmPluginOptions, vmPlugins } from './vm-plugins.ts';

type VmServeOptions = Omit<ServeOptions, 'plugins'>;

export interface VmControlPlaneOptions extends ControlPlaneOptions, VmPluginOptions, VmServeOptions {}

export interface OpenVmControlPlane extends Omit<OpenControlPlane, 'serve'> {
  serve(added?: VmServeOptions): Promise<ControlPlane>;
}

/** Starts a control plane that serves the kinds of Vimana. */
export async function startVmControlPlane(options: VmControlPlaneOptions = {}): Promise<ControlPlane> {
  const opened = await openVmControlPlane(options);
  return await opened.serve(options);
}

/** Opens a control plane that will serve the kinds of Vimana, so that extensions can be created from its clients. */
export async function openVmControlPlane(
  options: ControlPlaneOptions & VmPluginOptions = {},
): Promise<OpenVmControlPlane> {
  const opened = await openControlPlane(options);
  return { ...opened, serve: (added) => opened.serve({ ...added, plugins: vmPlugins(options) }) };
}
