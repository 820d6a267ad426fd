/** What may be set of a controller manager and changes nothing yet. */

import type { OrchControllerManagerConfiguration } from '../../generated/config/manager/v1alpha1.ts'
import type { ControllerName } from '../../generated/controllers.ts'
import type { CloudProvider } from '../../runtime/cloud/cloud.ts'
import type { Options } from '../../runtime/config/config.ts'
import {
  defaultConfiguration,
  hasBuilder,
  type SelectedControllers,
} from '../../runtime/controller-manager/controller-manager.ts'
import { optionsOf } from '../../runtime/kernel/options/option-table.ts'
import { deepEqual } from '../../runtime/kernel/values/deep-equal.ts'
import { valueAtPath } from '../../runtime/kernel/values/dotted-path.ts'
import type { ControllerManagerFacts } from './facts.ts'

/** What was set, and which controllers were named. */
export interface SetValues {
  readonly configuration: OrchControllerManagerConfiguration
  readonly options: Options
  /** The words of `--controllers`. */
  readonly words: readonly string[]
  readonly cloud: CloudProvider | undefined
  /** Controllers that were named and do not run for want of a cloud provider or of gates. */
  readonly notRunning: Pick<SelectedControllers, 'withoutCloud' | 'withoutGates'>
}

/** The controllers that a part of the configuration is about, where `schemas/controllers.yaml` does not say it by their concurrency. */
const partsOfControllers: Readonly<Record<string, readonly ControllerName[]>> = {
  AttachDetachController: ['persistentvolume-attach-detach-controller'],
  CSRSigningController: ['certificatesigningrequest-signing-controller'],
  LegacySATokenCleaner: ['legacy-serviceaccount-token-cleaner-controller'],
  NodeIPAMController: ['node-ipam-controller'],
  NodeLifecycleController: ['node-lifecycle-controller'],
  PersistentVolumeBinderController: ['persistentvolume-binder-controller'],
  PodGCController: ['pod-garbage-collector-controller'],
  SAController: ['root-ca-certificate-publisher-controller'],
}

const wiped = 'volumes are emptied by pods that need no template'

/** Settings that the daemon itself reads of nothing, and why nothing is missed by that. */
const idleSettings: Readonly<Record<string, string>> = {
  'attach-detach-reconcile-sync-period': 'what becomes of attachments is seen as it happens',
  'cloud-config': 'no provider that runs here has settings',
  'contention-profiling': 'one thread does all work: there are no locks to wait for',
  'disable-attach-detach-reconcile-sync': 'what becomes of attachments is seen as it happens',
  'external-cloud-volume-plugin': 'no plugin in the control plane attaches volumes',
  'flex-volume-plugin-dir': 'no plugin in the control plane attaches volumes',
  'http2-max-streams-per-connection': 'the port speaks HTTP/1.1',
  'log-flush-frequency': 'every line is written at once',
  'min-resync-period': 'no change is missed, so that caches are not gone through again',
  'namespace-sync-period': 'what becomes of namespaces is seen as it happens',
  'orch-api-content-type': 'requests are JSON',
  'permit-address-sharing': 'addresses are shared as the system does by itself',
  'permit-port-sharing': 'the port is never shared',
  '<vendor>-container-registry-config': 'there is no such vendor',
  'pv-recycler-pod-template-filepath-hostpath': wiped,
  'pv-recycler-pod-template-filepath-nfs': wiped,
  vmodule: 'lines of the log have no files',
}

/** The same of fields that have no flag. */
const idleFields: Readonly<Record<string, string>> = {
  'Generic.ClientConnection.acceptContentTypes': 'answers are JSON',
  'HPAController.HorizontalPodAutoscalerDownscaleForbiddenWindow':
    'HorizontalPodAutoscalerDownscaleStabilizationWindow has taken its place',
  'HPAController.HorizontalPodAutoscalerUpscaleForbiddenWindow':
    'spec.behavior of an autoscaler has taken its place',
  'NodeLifecycleController.PodEvictionTimeout': 'tolerations of pods have taken its place',
  'OrchCloudShared.AllowUntaggedCloud': 'no provider that runs here has tags',
  'OrchCloudShared.NodeSyncPeriod': 'NodeMonitorPeriod has taken its place',
  'PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.MaximumRetry':
    'attempts to empty a volume are not counted',
  'PersistentVolumeBinderController.VolumeHostAllowLocalLoopback': 'nothing here asks volume hosts',
  'PersistentVolumeBinderController.VolumeHostCIDRDenylist': 'nothing here asks volume hosts',
}

/** What is for a cloud provider alone. */
const cloudSettings: ReadonlySet<string> = new Set([
  'cluster-name',
  'concurrent-service-syncs',
  'configure-cloud-routes',
  'route-reconciliation-period',
])

/** A line for each thing that was set to something else than its default and changes nothing: none is left out in silence. */
export async function settingsWithoutEffect(
  { options: table, controllers }: ControllerManagerFacts,
  { configuration, options, words, cloud, notRunning }: SetValues,
): Promise<readonly string[]> {
  const defaults = await defaultConfiguration()
  const isChanged = (field: string, usual: unknown): boolean => {
    const value = valueAtPath(configuration, field)
    return ![valueAtPath(defaults, field), usual].some((one) => deepEqual(value, one))
  }
  const owners = new Map<string, ControllerName[]>(
    Object.entries(partsOfControllers).map(([part, names]) => [part, [...names]]),
  )
  for (const { controller, concurrency } of controllers) {
    if (concurrency === undefined) continue
    const part = partOf(concurrency)
    owners.set(part, [...(owners.get(part) ?? []), controller])
  }
  const settings = optionsOf(table).flatMap(({ flag, field, default: usual }) => {
    const origin = options.origin(flag)
    if (origin === 'default' && !(field !== undefined && isChanged(field, usual))) return []
    const names = owners.get(partOf(field ?? '')) ?? []
    const idle = names.length > 0 && !names.some((name) => hasBuilder(name))
    const missing =
      cloud === undefined && cloudSettings.has(flag) ? 'there is no cloud provider' : undefined
    const why = idle ? `${names.join(', ')} cannot run yet` : (missing ?? idleSettings[flag])
    const title = origin === 'default' ? field : `--${flag}`
    return why === undefined ? [] : [`${title} has no effect: ${why}`]
  })
  const fields = Object.entries(idleFields).flatMap(([field, why]) =>
    isChanged(field, undefined) ? [`${field} has no effect: ${why}`] : [],
  )
  const named = controllers.filter(
    ({ controller, alias }) =>
      !hasBuilder(controller) && [controller, alias].some((name) => words.includes(String(name))),
  )
  return [
    ...settings,
    ...fields,
    ...(words.every((word) => word.startsWith('-'))
      ? ['--controllers: nothing runs; *,-NAME is all but NAME']
      : []),
    ...named.map(({ controller }) => `--controllers: ${controller} cannot run yet`),
    ...notRunning.withoutCloud.map(
      (controller) => `--controllers: ${controller} does not run: there is no cloud provider`,
    ),
    ...notRunning.withoutGates.map(
      ({ controller, gates }) =>
        `--controllers: ${controller} does not run: ${gates.join(', ')} in --feature-gates is off`,
    ),
  ]
}

function partOf(path: string): string {
  return path.replace(/\..*/s, '')
}
