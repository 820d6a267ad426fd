/** Strategies of the kinds that external storage drivers use. */

import type { LabelSelector } from '../../../generated/apis/meta/v1/label-selector.ts'
import type { CSIDriver, CSIDriverSpec } from '../../../generated/apis/storage/v1/csi-driver.ts'
import type { CSINode, CSINodeDriver } from '../../../generated/apis/storage/v1/csi-node.ts'
import type { CSIStorageCapacity } from '../../../generated/apis/storage/v1/csi-storage-capacity.ts'
import type { VolumeAttachment } from '../../../generated/apis/storage/v1/volume-attachment.ts'
import { dnsSubdomainProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import { invalid } from '../../kernel/validation/field-errors.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Field } from '../../kernel/walker/field.ts'
import { inlineVolume } from '../core/volume/persistent-volume.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { warnedField } from '../strategy/warned-field.ts'
import { deprecatedKeys, deprecatedNodeLabel } from '../types/deprecations.ts'

/** A capacity is for nodes with labels, of which some are deprecated. */
export const csiStorageCapacity: Strategy<CSIStorageCapacity> = {
  warn({ nodeTopology }, _, { platform }) {
    const { domain } = platform
    const selector = warnedField<LabelSelector>(nodeTopology, 'nodeTopology')
    const labels = Object.keys(nodeTopology?.matchLabels ?? {}).flatMap((label) => {
      const message = deprecatedNodeLabel(label, domain)
      return message === undefined ? [] : [`nodeTopology.matchLabels.${label}: ${message}`]
    })
    return [...deprecatedKeys(selector, domain), ...labels]
  },
  check: (object) => object.visitAll(),
}

/** The most characters of what a driver calls a node. */
const longestNode = 192

/** A driver object bears the driver's name, and asks for one token of each audience. */
export const csiDriver: Strategy<CSIDriver> = {
  check(object) {
    const spec = object.child('spec')
    checkTokens(spec)
    if (spec.old !== undefined) spec.again(() => checkTokens(spec))
    const { attachRequired } = spec.value
    if (spec.old !== undefined && attachRequired !== spec.old.attachRequired) {
      // The public name of the field in errors is another one.
      object.report(invalid('spec.attachedRequired', attachRequired, 'field is immutable'))
    }
    spec.immutable('fsGroupPolicy', 'podInfoOnMount')
  },
}

/** Of an audience that stands twice nothing else is looked at. */
function checkTokens(spec: Field<CSIDriverSpec>): void {
  const audiences = new Set<string>()
  spec.each('tokenRequests', (token) => {
    if (audiences.has(token.value.audience ?? '')) token.passOver('expirationSeconds')
    token.distinct('audience', audiences)
  })
}

/**
 * Each driver of a node is there once, and what it said of itself stays. Errors come in three
 * rounds over the list: of each driver by itself, of names that stand twice, and of changes. A
 * driver may be added or taken away; one that is in both lists may not differ in anything.
 */
export const csiNode: Strategy<CSINode> = {
  check(object) {
    const spec = object.child('spec')
    spec.each('drivers', checkNodeDriver)
    const names = new Set<string>()
    spec.each('drivers', (driver) => driver.distinct('name', names))
    const before = new Map(spec.old?.drivers?.map((driver) => [driver.name, driver]))
    spec.each('drivers', (driver) => {
      const known = before.get(driver.value.name)
      if (known !== undefined && !deepEqual(known, driver.value)) {
        object.report(invalid('CSINodeDriver', driver.value, 'field is immutable'))
      }
    })
  },
}

/**
 * An attachment is of one volume; the schema keeps the rest of it as it is.
 * A source with both a name and an inline volume is Forbidden, one with neither is Required. The names of the driver and of the
 * volume are judged in a second round, of a new attachment only.
 */
export const volumeAttachment: Strategy<VolumeAttachment> = {
  check(object) {
    const spec = object.child('spec')
    spec.judge('nodeName', dnsSubdomainProblems)
    const { persistentVolumeName, inlineVolumeSpec } = spec.value.source ?? {}
    const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
    if (persistentVolumeName === undefined && !inlineVolumeSpec) spec.required('source', why)
    if (persistentVolumeName !== undefined && inlineVolumeSpec) spec.forbidden('source', why)
    const source = spec.child('source')
    if (persistentVolumeName === '' && !inlineVolumeSpec) {
      source.required('persistentVolumeName', 'must specify non empty persistentVolumeName')
    }
    if (persistentVolumeName !== undefined) source.passOver('inlineVolumeSpec')
    else source.when('inlineVolumeSpec', inlineVolume)
    if (object.old !== undefined) return
    spec.afterwards(() => {
      if (!spec.value.attacher) spec.requiredAgain('attacher')
      spec.visit('attacher')
      if (persistentVolumeName === undefined) return
      source.judgeMissing('persistentVolumeName', dnsSubdomainProblems)
    })
  },
}

/** Errors in the order name, nodeID, topologyKeys; those of keys, one key after the other, stand at the driver. */
function checkNodeDriver(driver: Field<CSINodeDriver>): void {
  driver.visit('name')
  if ((driver.value.nodeID?.length ?? 0) > longestNode) driver.tooLong('nodeID', longestNode)
  const seen = new Set<string>()
  for (const key of driver.value.topologyKeys ?? []) {
    if (key === '') driver.required('')
    driver.distinct('', seen, key)
    driver.invalidAll('', qualifiedNameProblems(key), key)
  }
}
