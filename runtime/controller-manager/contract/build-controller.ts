/** What a controller of the controller manager is made with, and what it is. */
import type { OrchControllerManagerConfiguration } from '../../../generated/config/manager/v1alpha1.ts'
import type { ControllerName } from '../../../generated/controllers.ts'
import type { SigningKey } from '../../auth/auth.ts'
import type { CloudProvider } from '../../cloud/cloud.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import type { Metrics } from '../../observe/observe.ts'
import type { AnyController, KeyController } from '../../reconcile/reconcile.ts'

/** What a controller is built with. What it needs at a run (client, clock, caches, events) is in the context of the run. */
export interface BuildContext {
  /** Its name, by which its parts are called. */
  readonly name: ControllerName
  /** The names of the server: of namespaces, label keys, finalizers and the like. */
  readonly platform: Platform
  /** The configuration of the whole controller manager. */
  readonly configuration: OrchControllerManagerConfiguration
  /** How many keys it works on at a time, where the configuration has a setting for it. */
  readonly concurrency: number | undefined
  readonly gates: EnabledGates
  /** The certificates of the authorities that pods know the server by, as PEM; undefined where they are not known. */
  readonly rootCertificates: (() => string) | undefined
  /** The key that signs tokens of service accounts for secrets; undefined where it is not known. */
  readonly tokenKey: (() => SigningKey) | undefined
  /** What the program counts. */
  readonly metrics: Metrics
  /** Where the cluster runs; undefined where no cloud does anything for it. */
  readonly cloud: CloudProvider | undefined
}

/**
 * Makes the parts of a controller: one loop, or several where it has several sorts of keys. The first one is called by its name, the
 * others by `<name>/<part>`. Imports its code on first use.
 */
export type BuildController = (
  context: BuildContext,
) => Promise<readonly (AnyController | KeyController)[]>

/** What makes the controllers of one concern, by name. */
export type Builders = Readonly<Partial<Record<ControllerName, BuildController>>>
