import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '#control-plane/apiserver/control-plane';
import { type VmPluginOptions, vmPlugins } from './vm-plugins.ts';

export interface VmControlPlaneOptions extends Omit<ControlPlaneOptions, 'plugins'>, VmPluginOptions {}

/** Starts a control plane that serves the kinds of Vimana. */
export async function startVmControlPlane(options: VmControlPlaneOptions = {}): Promise<ControlPlane> {
  return await startControlPlane({ ...options, plugins: vmPlugins(options) });
}
