/** The secrets that a pod references, and which of them its service account allows. */
import type { ServiceAccount } from '../../../../generated/apis/core/v1/service-account.ts'
import { type Container, containersOf, type PodSpec } from '../pods/pod-spec.ts'

/** Why a mirror pod, which shows what a node runs by itself, may not be created: it cannot use objects of the cluster. */
export function mirrorPodProblem(spec: Partial<PodSpec>): string | undefined {
  const volumes = spec.volumes ?? []
  if (spec.serviceAccountName) return 'a mirror pod may not reference service accounts'
  const usesSecrets =
    volumes.some(({ secret }) => secret !== undefined) ||
    containersOf(spec).some((container) => secretsOf(container).length > 0)
  if (usesSecrets) return 'a mirror pod may not reference secrets'
  const usesTokens = volumes.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  )
  return usesTokens ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined
}

/** The first secret that a pod uses and its service account does not reference, as the text of an error. */
export function unreferencedSecretProblem(
  spec: Partial<PodSpec>,
  account: ServiceAccount,
): string | undefined {
  const problem =
    volumeProblem(spec, namesOf(account.secrets)) ??
    containerProblem(spec, namesOf(account.secrets)) ??
    pullSecretProblem(spec, namesOf(account.imagePullSecrets))
  if (problem === undefined) return undefined
  const { used, kind } = problem
  return `${used} is not allowed because service account ${account.metadata.name} does not reference that ${kind}`
}

/** The same for the ephemeral containers of a pod alone. */
export function ephemeralSecretProblem(
  { ephemeralContainers = [] }: Partial<PodSpec>,
  account: ServiceAccount,
): string | undefined {
  const allowed = namesOf(account.secrets)
  for (const container of ephemeralContainers) {
    const found = secretsOf(container as Container).find(({ secret }) => !allowed.has(secret))
    if (found === undefined) continue
    return `ephemeral container ${container.name} with ${found.through} referencing secret.secretName="${found.secret}" is not allowed because service account ${account.metadata.name} does not reference that secret`
  }
  return undefined
}

interface Problem {
  readonly used: string
  readonly kind: 'secret' | 'imagePullSecret'
}

function namesOf(references: ServiceAccount['imagePullSecrets']): ReadonlySet<string> {
  return new Set((references ?? []).map(({ name = '' }) => name))
}

function volumeProblem(
  { volumes = [] }: Partial<PodSpec>,
  allowed: ReadonlySet<string>,
): Problem | undefined {
  const names = volumes.flatMap(({ secret }) => secret?.secretName ?? [])
  const name = names.find((one) => !allowed.has(one))
  if (name === undefined) return undefined
  return { used: `volume with secret.secretName="${name}"`, kind: 'secret' }
}

function containerProblem(
  { initContainers = [], containers = [] }: Partial<PodSpec>,
  allowed: ReadonlySet<string>,
): Problem | undefined {
  const all = [
    ...initContainers.map((container) => ['init container', container] as const),
    ...containers.map((container) => ['container', container] as const),
  ]
  for (const [what, container] of all) {
    const found = secretsOf(container).find(({ secret }) => !allowed.has(secret))
    if (found === undefined) continue
    const used = `${what} ${container.name} with ${found.through} referencing secret.secretName="${found.secret}"`
    return { used, kind: 'secret' }
  }
  return undefined
}

function pullSecretProblem(
  { imagePullSecrets = [] }: Partial<PodSpec>,
  allowed: ReadonlySet<string>,
): Problem | undefined {
  const index = imagePullSecrets.findIndex(({ name = '' }) => !allowed.has(name))
  if (index < 0) return undefined
  const name = imagePullSecrets[index]?.name ?? ''
  return { used: `imagePullSecrets[${index}].name="${name}"`, kind: 'imagePullSecret' }
}

/** A secret, and how a container references it. */
interface SecretReference {
  readonly secret: string
  readonly through: string
}

/** Secrets in environment variables, one by one and as a whole. */
function secretsOf({ env, envFrom }: Container): readonly SecretReference[] {
  return [
    ...(env ?? []).flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef
        ? [{ secret: valueFrom.secretKeyRef.name ?? '', through: `envVar ${name}` }]
        : [],
    ),
    ...(envFrom ?? []).flatMap(({ secretRef }) =>
      secretRef ? [{ secret: secretRef.name ?? '', through: 'envFrom' }] : [],
    ),
  ]
}
