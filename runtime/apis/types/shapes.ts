/**
 * The parts of objects that rules and cells look at. Everything is optional: a rule sees objects that the reader found
 * wanting, and a cell must print whatever was stored. A required list may be null.
 */

import type { LabelSelectorFields } from '../../kernel/meta/label-selector.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Affinity } from '../core/pod/affinity.ts'
import type { DnsConfig, HostAlias } from '../core/pod/dns.ts'
import type { ContainerSecurity, PodSecurity } from '../core/pod/security.ts'
import type { SpreadConstraint } from '../core/pod/topology-spread.ts'
import type { VolumeSources } from '../core/pod/volume-sources.ts'

export type Strings = Readonly<Record<string, string>>
export type List<T> = readonly T[] | null
/** A time as JSON holds it; null where a kept field has none. */
export type TimeText = string | null
export type IntOrString = number | string

export interface Condition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
}

export interface Resources {
  readonly limits?: Strings
  readonly requests?: Strings
}

export interface ContainerPort {
  readonly name?: string
  readonly hostPort?: number
  readonly hostIP?: string
  readonly containerPort?: number
  readonly protocol?: string
}

export interface VolumeMount {
  readonly name?: string
  readonly mountPath?: string
  readonly subPath?: string
  readonly subPathExpr?: string
  readonly mountPropagation?: string
}

export interface VolumeDevice {
  readonly name?: string
  readonly devicePath?: string
}

export interface Container {
  readonly name?: string
  readonly image?: string
  readonly ports?: List<ContainerPort>
  readonly env?: List<EnvVar>
  readonly envFrom?: List<EnvSource>
  readonly resources?: Resources
  readonly restartPolicy?: string
  readonly volumeMounts?: List<VolumeMount>
  readonly volumeDevices?: List<VolumeDevice>
  readonly securityContext?: ContainerSecurity
  readonly livenessProbe?: object
  readonly readinessProbe?: object
  readonly startupProbe?: object
  readonly lifecycle?: object
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly imagePullPolicy?: string
}

export interface EnvVar {
  readonly name?: string
  readonly value?: string
  readonly valueFrom?: ValueSource
}

export interface KeyReference {
  readonly name?: string
  readonly key?: string
}

export interface FieldReference {
  readonly fieldPath?: string
}

export interface ResourceReference {
  readonly containerName?: string
  readonly resource?: string
  readonly divisor?: string
}

export interface ValueSource {
  readonly fieldRef?: FieldReference
  readonly resourceFieldRef?: ResourceReference
  readonly configMapKeyRef?: KeyReference
  readonly secretKeyRef?: KeyReference
}

export interface EnvSource {
  readonly prefix?: string
  readonly configMapRef?: { readonly name?: string }
  readonly secretRef?: { readonly name?: string }
}

export interface Volume extends VolumeSources {
  readonly name?: string
}

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface PodSpec {
  readonly containers?: List<Container>
  readonly initContainers?: List<Container>
  readonly ephemeralContainers?: List<Container>
  readonly volumes?: List<Volume>
  readonly restartPolicy?: string
  readonly activeDeadlineSeconds?: number
  readonly terminationGracePeriodSeconds?: number
  readonly serviceAccountName?: string
  readonly serviceAccount?: string
  readonly nodeName?: string
  readonly priorityClassName?: string
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly hostUsers?: boolean
  readonly shareProcessNamespace?: boolean
  readonly os?: { readonly name?: string }
  readonly dnsPolicy?: string
  readonly dnsConfig?: DnsConfig
  readonly hostAliases?: List<HostAlias>
  readonly securityContext?: PodSecurity
  readonly affinity?: Affinity
  readonly topologySpreadConstraints?: List<SpreadConstraint>
  readonly enableServiceLinks?: boolean
  readonly nodeSelector?: Strings
  readonly hostname?: string
  readonly subdomain?: string
  readonly tolerations?: List<Toleration>
  readonly imagePullSecrets?: List<{ readonly name?: string }>
  readonly schedulingGates?: List<{ readonly name?: string }>
  readonly readinessGates?: List<{ readonly conditionType?: string }>
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string }
  readonly running?: object
  readonly terminated?: {
    readonly reason?: string
    readonly exitCode?: number
    readonly signal?: number
    readonly finishedAt?: TimeText
  }
}

export interface ContainerStatus {
  readonly name?: string
  readonly ready?: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly state?: ContainerState
  readonly lastState?: ContainerState
}

export interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly qosClass?: string
  readonly podIP?: string
  readonly podIPs?: List<{ readonly ip?: string }>
  readonly nominatedNodeName?: string
  readonly conditions?: List<Condition>
  readonly containerStatuses?: List<ContainerStatus>
  readonly initContainerStatuses?: List<ContainerStatus>
}

export interface Pod extends ApiObject {
  readonly spec?: PodSpec
  readonly status?: PodStatus
}

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Strings }
  readonly spec?: PodSpec
}

/** What Deployment and ReplicaSet share. */
export interface Workload extends ApiObject {
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: LabelSelectorFields | null
    readonly template?: PodTemplate
  }
  readonly status?: {
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
  }
}

export interface ServicePort {
  readonly name?: string
  readonly protocol?: string
  readonly port?: number
  readonly targetPort?: IntOrString
  readonly appProtocol?: string
  readonly nodePort?: number
}

export interface ServiceSpec {
  readonly type?: string
  readonly ports?: List<ServicePort>
  readonly selector?: Strings
  readonly clusterIP?: string
  readonly clusterIPs?: List<string>
  readonly externalIPs?: List<string>
  readonly externalName?: string
  readonly sessionAffinity?: string
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } }
  readonly internalTrafficPolicy?: string
  readonly externalTrafficPolicy?: string
  readonly allocateLoadBalancerNodePorts?: boolean
  readonly loadBalancerClass?: string
  readonly loadBalancerSourceRanges?: List<string>
  readonly healthCheckNodePort?: number
  readonly ipFamilies?: List<string>
  readonly ipFamilyPolicy?: string
}

export interface Service extends ApiObject {
  readonly spec?: ServiceSpec
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: List<{ readonly ip?: string; readonly hostname?: string }>
    }
  }
}
