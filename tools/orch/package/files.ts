/** What `orch package` writes: the manifests of an operator as files. */
import { stringify } from 'yaml'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Access } from '../../../runtime/reconcile/reconcile.ts'
import type { AnyAdmissionWebhook } from '../../../runtime/webhook-server/webhook-server.ts'
import { alertGroups, alertManifests } from './alerts.ts'
import { configurationManifests } from './configurations.ts'
import { definitionsOf } from './definitions.ts'
import { dockerfile, dockerignore } from './dockerfile.ts'
import { roleManifests } from './roles.ts'
import type { Manifest, PackageSettings } from './settings.ts'
import { deploymentManifest, namespaceManifests, webhookManifests } from './workload.ts'

/** `plain`: one file for `kubectl apply -f`; `kustomize`: one for each part, for `kubectl apply -k`. */
export const packageFormats = ['plain', 'kustomize'] as const

export type PackageFormat = (typeof packageFormats)[number]

/** What the first line of each file says: by it the command knows what it may overwrite. */
export const madeBy = '# Written by orch package: run it again after a change.\n'

/** What a package is made of. */
export interface PackageContents {
  readonly settings: PackageSettings
  readonly access: Access
  /** The definitions that the operator's schema files stand for. */
  readonly texts: ReadonlyMap<string, string>
  readonly webhooks: readonly AnyAdmissionWebhook[]
  /** The kinds that its controllers are for. */
  readonly kinds: readonly AnyKind[]
}

/** The files of a package by name. */
export function packageFiles(
  { settings, access, texts, webhooks, kinds }: PackageContents,
  format: PackageFormat,
): ReadonlyMap<string, string> {
  const { definitions, converted } = definitionsOf(texts, settings)
  const webhook = converted.length > 0 || webhooks.length > 0
  const configurations = configurationManifests(settings, webhooks)
  const parts = new Map<string, readonly Manifest[]>([
    ['namespace.yaml', namespaceManifests(settings)],
    ['definitions.yaml', definitions],
    ['access.yaml', roleManifests(settings, access, { converted, configurations })],
    ['webhook.yaml', webhook ? webhookManifests(settings) : []],
    ['deployment.yaml', [deploymentManifest(settings, webhook)]],
    ['admission.yaml', configurations],
    ['alerts.yaml', settings.alerts === 'prometheus-rule' ? alertManifests(settings, kinds) : []],
  ])
  for (const [name, manifests] of parts) if (manifests.length === 0) parts.delete(name)
  const files = format === 'plain' ? plainFiles(parts, settings) : kustomizeFiles(parts, settings)
  const image = [
    ['Dockerfile', dockerfile(settings)],
    ['Dockerfile.dockerignore', dockerignore],
  ] as const
  const rules = settings.alerts === 'rules' ? ([['alerts.rules', ruleFile(kinds)]] as const) : []
  return new Map([...files, ...image, ...rules].map(([name, text]) => [name, madeBy + text]))
}

/** Rules as the configuration of Prometheus names them, under `rule_files`. */
function ruleFile(kinds: readonly AnyKind[]): string {
  return yamlOf([{ groups: alertGroups(kinds) }])
}

function plainFiles(
  parts: ReadonlyMap<string, readonly Manifest[]>,
  { name }: PackageSettings,
): readonly (readonly [string, string])[] {
  return [[`${name}.yaml`, yamlOf([...parts.values()].flat())]]
}

function kustomizeFiles(
  parts: ReadonlyMap<string, readonly Manifest[]>,
  { image }: PackageSettings,
): readonly (readonly [string, string])[] {
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...parts.keys()],
    images: [imageOf(image)],
  }
  const files = [...parts].map(([name, manifests]) => [name, yamlOf(manifests)] as const)
  return [...files, ['kustomization.yaml', yamlOf([kustomization])]]
}

/** An image as an overlay changes it: `images: [{ name: registry/operator, newTag: v2 }]`. */
function imageOf(image: string): Manifest {
  const [, name, digest] = /^(.+)@(.+)$/.exec(image) ?? []
  if (name !== undefined) return { name, digest }
  const [, repository, newTag] = /^(.+):([^:/]+)$/.exec(image) ?? []
  return repository === undefined ? { name: image } : { name: repository, newTag }
}

function yamlOf(manifests: readonly Manifest[]): string {
  return manifests
    .map((one) => stringify(one, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n')
}
