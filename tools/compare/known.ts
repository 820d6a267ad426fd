/** Differences from the reference that are meant, each with the decision that says why. */
export interface KnownDifference {
  /** Matches the signature of the difference. */
  readonly signature: RegExp
  /** Matches the steps that show the difference, as JSON. Absent: whatever they are. */
  readonly request?: RegExp
  /** The decision of DECISIONS.md, or the statement of the specification. */
  readonly because: string
}

/** Differences that are meant, each with the decision that says why. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    signature: /failed to create typed patch object.*reference failed.*\(MISSING\)/s,
    because: 'decision 145: a percent sign in a message is a percent sign',
  },
  {
    signature: /failed to create typed patch object.*: expected \w+, got &\{(map)?\[/,
    request: /"[^"]*%"/,
    because: 'decision 145: a percent sign in a message is a percent sign',
  },
  {
    signature: /^(Secret|ConfigMap)\.v1\. .*field is immutable when `immutable` is set/,
    request: /"(data|binaryData)":\{("[^"]*":null)?\}/,
    because: 'decision 145: an empty map says what its absence says',
  },
  {
    signature: /^Node\.v1\. .*managedFields.*f:status\.f:allocatable/,
    request: /"allocatable":\{("[^"]*":null)?\}/,
    because: 'decision 145: an empty map says what its absence says',
  },
  {
    signature: /^ClusterRole\.v1\..*managedFields/,
    request: /"clusterRoleSelectors":\[\{"matchLabels":\{\}\}\]/,
    because: 'decision 145: an empty map says what its absence says',
  },
  {
    signature: /^PersistentVolume\.v1\. .*status\.lastPhaseTransitionTime/,
    request: /"lastPhaseTransitionTime":"[^"]*:\d\d\.\d/,
    because: 'decision 145: a time has whole seconds from when it is read',
  },
  {
    signature: /\| PUT \| metadata\.generation \| ours N \| reference N$/,
    request:
      /"template":\{"metadata":\{[^{}]*(\{[^{}]*\}[^{}]*)*"creationTimestamp":"[^"]*:\d\d\.\d/,
    because: 'decision 145: a time has whole seconds from when it is read',
  },
  {
    signature: /^CertificateSigningRequest.* \| spec\.(username|uid|groups)/,
    because: 'requests of the two servers come from different users',
  },
  {
    signature: /reference (Invalid value|Required value|\{.*Invalid value): [a-z]+\.[A-Z]\w*\{/,
    because: 'a value is shown as JSON, not as the memory of the program that refuses it',
  },
  {
    signature: /^\/openapi.*(DeleteOptions|WatchEvent|Status)\.x-kubernetes-group-version-kind/,
    because: 'decision 68',
  },
  {
    signature: /must be positive: N(\b|$)/,
    because: 'decision 70: an integer is divided by the factor, not by its whole part',
  },
  {
    signature: /ours .*in body must be of type .*: "integer".*reference .*: "number"/,
    because: 'decision 76: 1.0 is an integer in every message',
  },
  {
    signature:
      /(accessor error: N is of the type int64.*|ours absent .*|ours N +\| .*)accessor error: N is of the type float64/,
    because: 'decision 76: 1.0 is an integer in every message',
  },
  {
    signature:
      /^custom \w+ \| PUT scale \| message \| .*reference no kind is registered for the type/,
    because: 'decision 114: what is wrong with a scale is told, whatever kind it scales',
  },
  {
    signature: /^custom object \| \S+ .*(resourceVersion|generation) \| ours/,
    request: /\/scale".*"replicas":(0|1|null)/,
    because: 'decision 114: a scale writes nothing where the schema has no field for it',
  },
  {
    signature:
      /estimated \w+ cost( total)?( for entire OpenAPIv3 schema)? exceed(s budget|ing cost limit)/,
    request: /"(rule|messageExpression)":"((\\.|[^"\\])*[^\w\])"\\])?\[/,
    because: 'decision 75: a list literal costs 40',
  },
  {
    signature:
      /^(custom object|rule on objects) .*must be of type \S+: ".." \| reference .*must be of type \S+: ".."$/,
    request: /"\$number:-?\d+(\.0+|(\.\d+)?[eE]\+?\d+)"/,
    because: 'decision 76: 1.0 is an integer in every message',
  },
  {
    signature:
      /^(custom object|rule on objects) \| .*metadata\.managedFields \| .*reference absent$/,
    request: /":\[/,
    because:
      'decision 76: a list in place of a text of a known format is managed like any other value',
  },
  {
    signature: /ours absent \| .*reference .*dependencies is not supported/,
    request: /"dependencies":\{\}/,
    because: 'decision 76: an empty list or map of a schema is none',
  },
  {
    signature:
      /\| (causes \| ours absent |status \| ours N +)\| reference .*but metadata is implicitly/,
    request:
      /"metadata":\{(?!"name")[^{}]*(\{\}[^{}]*)?"(required|enum|x-kubernetes-list-map-keys)":\[\]/,
    because: 'decision 76: an empty list or map of a schema is none',
  },
  {
    signature: /^(custom object|definition) \| POST \| causes \| .*default\S*: .*reference absent/s,
    request: /"metadata":\{(?!"name")[^{}]*(\{\}[^{}]*)?"(required|enum)":\[\]/,
    because: 'decision 76: an empty list or map of a schema is none',
  },
  {
    signature:
      /\| (causes \| ours absent |status \| ours N +)\| reference (N )?spec\.\S+openAPIV3Schema: (FieldValueInvalid: )?Invalid value: \S+JSONSchemaProps\{/,
    request: /^(?=.*"enum":\[\]).*"subresources":\{[^{}]*"status":\{\}/,
    because: 'decision 76: an empty list or map of a schema is none',
  },
  {
    signature: /^CustomResourceDefinition.* \| reference spec\.validation\.\S+\.dependencies$/,
    request: /"dependencies":\{\}/,
    because: 'decision 76: an empty list or map of a schema is none',
  },
  {
    signature:
      /^CustomResourceDefinition.* \| details\.causes\[\*\]\.reason \| .*reference FieldValueForbidden$/,
    request: /"dependencies":\{\}/,
    because: 'decision 76: an empty list or map of a schema is none',
  },
  {
    signature:
      /^CustomResourceDefinition.*cannot unmarshal number 1e400 into Go value of type float64/,
    because: 'decision 76: a number that no double can hold is refused before its field is known',
  },
  {
    signature:
      /^CustomResourceDefinition.*cannot unmarshal (number|string|bool) into field \S+\.items of type object or array/,
    because: 'decision 76: what is neither a schema nor a list of them is refused',
  },
  {
    signature: /^CustomResourceDefinition.*boolean or JSON schema expected$/,
    because: 'decision 76: what is neither a schema nor a boolean is told with its field',
  },
  {
    signature: /^definition \| POST \| header warning \| ours N - /,
    request: /"unknownKeyword":.*"unknownKeyword":/,
    because: 'decision 133: unknown keywords are told in the order of sorted names',
  },
  {
    signature:
      /^custom object \| (PATCH apply-patch|GET) \| \S*metadata\.generation \| ours N \| reference N$/,
    request: /apply-patch.*"unknown":/,
    because: 'decision 93: a write that changes nothing is none',
  },
  {
    signature:
      /^custom object \| .* \| status \| ours N +\| reference N <nil>: Invalid value: "object": failed rule: self == oldSelf/,
    because: 'decision 133: rules see no managed fields, whose times change with the second',
  },
  {
    signature: /ours .*(timestamp|must evaluate to a string).* \| reference/s,
    request: /"format":"datetime"/,
    because: 'A2.64: a text of the format datetime is a timestamp, as one of date-time is',
  },
  {
    signature:
      /^custom object \| PATCH merge-patch scale \| causes \| ours absent \| reference (spec[.\w]*: |<nil>: .*\(anyOf\))/,
    because: 'decision 114: a scale writes nothing where the schema has no field for it',
  },
  {
    signature: /invalid data, expected XIntOrString value to be either a string or integer/,
    request: /"\$number:/,
    because: 'decision 76: 1.0 is an integer in every message',
  },
  {
    signature: /invalid data, expected int, got float64/,
    because: 'decision 76: 1.0 is an integer in every message',
  },
  {
    signature:
      /\| metadata\.resourceVersion \| ours an earlier revision \| reference a later revision$/,
    because: 'decision 93: a write that changes nothing is none',
  },
  {
    signature: /^ConfigMap\.v1\. \| PUT \| .*reference N binaryData: Forbidden: field is immutable/,
    request: /"binaryData":\{[^}]*:null/,
    because: 'decision 119: an empty map is none',
  },
  {
    signature: /^ResourceQuota\.v1\. \| .*(status\.hard|the object has been modified)/,
    because: 'decision 93: the controller of quotas runs in the server',
  },
  {
    signature:
      /^Pod\.v1\. \| .*status \| status\..*(resize|allocatedResources|\.resources) \| ours absent/,
    because: 'decision 93: a status has no fields of disabled gates',
  },
  {
    signature: /^Pod\.v1\. \| .*status \| .*resourceClaimStatuses/,
    because: 'decision 93: a status has no fields of disabled gates',
  },
  {
    signature: /^Pod\.v1\. \| PUT status \| .*reference status\.resourceClaimStatuses/,
    because: 'decision 93: a status has no fields of disabled gates',
  },
  {
    signature:
      /^StatefulSet\.v1\.apps \| .* \| spec\.volumeClaimTemplates\[\*\]\..* \| ours absent/,
    request:
      /volumeAttributesClassName|allocatedResource|VolumeAttributesClassName|modifyVolumeStatus/,
    because: 'decision 129: templates of claims have no fields of disabled gates',
  },
  {
    signature: /^Pod\.v1\. \| POST \| metadata\.managedFields \| ours \[.*reference absent/,
    request: /"(podIPs|hostIPs)":\[(\{\}|null)/,
    because: 'decision 129: what is not stored does not end who manages what is',
  },
  {
    signature: /^Service\.v1\. \| PUT status \| (details\.causes|status)/,
    request: /"method":"PUT","path":"[^"]*\/services\/[^"]*\/status"/,
    because: 'decision 119: a service that is made through its status is a whole one',
  },
  {
    signature: /^Pod\.v1\. \| POST \| status\.qosClass \| ours/,
    request: /"qosClass":/,
    because: 'decision 129: the status of a new pod is dropped whole, also its quality class',
  },
  {
    signature:
      /^PersistentVolume\.v1\. \| .* \| details\.causes\[\*\] \| ours absent \| reference \{.*update is forbidden when the VolumeAttributesClass/,
    because: 'decision 125: what is sent of disabled gates is dropped',
  },
  {
    signature:
      /^PersistentVolume\.v1\. \| PUT \| details\.causes\[\*\]\.(reason \| ours FieldValue\w+ \| reference FieldValueInvalid|field \| .* \| reference spec\.volumeAttributesClassName)$/,
    request: /"volumeAttributesClassName":/,
    because: 'decision 125: what is sent of disabled gates is dropped',
  },
  {
    signature:
      /^PersistentVolumeClaim\.v1\. \| .* \| details\.causes\[\*\]\.field \| ours spec\S* \| reference spec\.dataSourceRef\.namespace$/,
    request: /"dataSourceRef":\{[^}]*"namespace"/,
    because: 'decision 125: what is sent of disabled gates is dropped',
  },
  {
    signature:
      /^PersistentVolumeClaim\.v1\. \| .* must match dataSourceRef \| reference .*may not be specified when dataSourceRef\.namespace is specified$/,
    request: /"dataSourceRef":\{[^}]*"namespace"/,
    because: 'decision 125: what is sent of disabled gates is dropped',
  },
  {
    signature:
      /^StatefulSet\.v1\.apps \| .* \| (spec\.template\.spec\.containers \| ours \[\*\] \| reference null|\S*scaleIO\S*secretRef \| ours absent \| reference (null|\{\}))$/,
    because:
      'decision 135: what an update of a StatefulSet stores without a look at it is stored as it is',
  },
  {
    signature:
      /^Pod\.v1\. \| (PUT|PATCH \S+) \| .*( \| ours FieldValue\w+ \| reference FieldValueInvalid|Pod QoS is immutable.*)$/,
    request: /"method":"POST","path":"[^"]*\/pods"(?:(?!"method").)*"qosClass":/,
    because: 'decision 129: the status of a new pod is dropped whole, also its quality class',
  },
  {
    signature: /^\S+ list \| DELETE \| header warning \| ours {2}\| reference N - ".."$/,
    request: /as=PartialObjectMetadata/,
    because: 'decision 104: a form that cannot be had is refused before anything is done',
  },
  {
    signature: /reference N resource name may not be empty/,
    because: 'decision 119: a class that cannot be is absent, and no error of the server',
  },
  {
    signature:
      /^(NetworkPolicy|EndpointSlice)\.v1\S* \| PUT \| metadata\.(generation|resourceVersion) \| ours/,
    request: /"deprecatedTopology":|:\[\]|:null/,
    because: 'decision 129: an empty list is none, and what is dropped is no change',
  },
  {
    signature:
      /\| details\.causes\[\*\]\.field \| ours (\S+initContainers\[\*\]\.ports\[\*\]\.hostPort) \| reference \1$/,
    because: 'decision 155: a port that stands twice is told at its own container',
  },
  {
    signature: /^ReplicationController\.v1\. \| .* \| header warning/,
    because: 'decision 72: an update is warned of its new template',
  },
  {
    signature: /UID in precondition.*\| reference .*StorageError: invalid object/s,
    because: 'decision 109: the keys of another store are not told',
  },
  {
    signature:
      /ours N (invalid resource version: |Timeout: Too large resource).* \| reference N (strconv\.ParseUint|\S+\/scale\S* "\.\." not found)/,
    because: 'decision 94: a wrong request is no error of the server',
  },
  { signature: /^\/version \|/, because: 'a server names its own build' },
  {
    signature: /^\/openapi.* \| info\.(version|title) \|/,
    because: 'a server names its own build',
  },
  { signature: /^\/ \| GET \| paths\[/, because: 'decision 68: what is served here is listed' },
  {
    signature:
      /^\/openapi.*\.(minimum|maximum|minLength|maxLength|minItems|maxItems|pattern|default|x-kubernetes-validations)(\[\*\])? \| ours .* \| reference absent$/,
    because: 'decision 68: bounds, rules and defaults are published',
  },
  {
    signature: /^\/openapi\/v3.*\.(\$ref \| ours absent|allOf \| ours \[\*\] \| reference absent)/,
    because: 'decision 68: a described reference stands in an allOf',
  },
  {
    signature: /^\/openapi\/v2.*\.schemes \| ours absent/,
    because: 'decision 68: plain HTTP is spoken here',
  },
  {
    signature:
      /^(\/|Pod|Node|Service|ServiceAccount)\S*.* \| (.*\.)?(resources|subresources|paths|definitions|components\.schemas)\S*((pods|nodes|services|serviceaccounts|logs|openid\S*|io\.k8s\.api\.authentication\S*)\S*|\[\*\]|subresources) \| ours absent/,
    because: 'decision 68: what is not served is not documented',
  },
  {
    signature: /\| HEAD( [\w-]+)* \| status \| ours N +\| reference N +$/,
    because: 'objects are read with HEAD, too: HTTP demands it of every resource (W-16)',
  },
  {
    signature: /^(\S+\/(proxy|exec|attach|portforward|log|token)|\/api\/v1\/proxy\/nodes\/x) \|/,
    because: 'decision 68: what is forwarded to nodes, and tokens, are not served',
  },
  {
    signature: /\.x-kubernetes-list-(type|map-keys) \| ours absent|externalTrafficPolicy\.enum/,
    because: 'decision 68: values are named once, and no markers stand on bytes',
  },
  {
    signature:
      /^\/\S* \| OPTIONS( [\w-]+)* \| status \| ours N (the server does not allow|N: Method)/,
    because: 'decision 68: documents are read with GET and HEAD only',
  },
  {
    signature: /ours N invalid resource version: .* \| reference N resourceVersion: Invalid value/,
    because: 'decision 94: a wrong request is no error of the server',
  },
  {
    signature: /reference N Component not found/,
    because: 'decision 94: a wrong request is no error of the server',
  },
  {
    signature: /\| header (accept-ranges|last-modified|retry-after) \|/,
    because: 'decision 94: documents are not served in ranges',
  },
  {
    signature: /^\/openapi\/v3 \| [\w -]+ \| header (etag|content-type|vary) \|/,
    because: 'decision 94: the index says that it is JSON, and can be kept',
  },
  {
    signature: /\| header (audit-id|cache-control|x-kubernetes-pf-\S+) \| ours .* \| reference $/,
    because: 'decision 94: a path that is no text is answered like any other request',
  },
  {
    signature: /\| columnDefinitions\S*\.description \|/,
    because: 'decision 68: descriptions are ours',
  },
  {
    signature: /without impersonating a user/,
    because: 'decision 94: impersonation is not served',
  },
  {
    signature: /ours .*yaml: line N: .* \| reference .*yaml: line N: /,
    because: 'decision 94: what is wrong with a YAML text is said in the words of its reader',
  },
  {
    signature: /^ResourceQuota.* \| (status|rows|metadata\.managedFields|GET watch \| \[\*\]\.)/,
    because: 'the reference runs without the controller that counts quotas',
  },
  {
    signature: /\| DELETE( [\w-]+)* \| status \| ours N (.{0,90}).* \| reference N \2/,
    because: 'decision 85: options of a deletion that cannot be read are a wrong request',
  },
  {
    signature: /converting to \S+, Kind=PartialObjectMetadata/,
    because: 'decision 104: a form that cannot be had is refused before anything is done',
  },
  {
    signature: /^Pod\.v1\. \| GET watch \| \[\*\]\./,
    because: 'decision 104: the pods of a collection are deleted beside each other',
  },
  {
    signature: /^DaemonSet.* \| \S*metadata\.annotations\S* \| ours /,
    because: 'decision 104: metadata is shown as it is, in every form',
  },
  {
    signature: /^(custom \w+|rule on objects) \| .* \| bytes \|/,
    because: 'decision 104: custom objects begin with their kind, as all do',
  },
  {
    signature: /^\S+\.v\d\w*\.\S* \| GET watch \| /,
    request: /^(?!.*"\$firstRevision")/,
    because: 'D-07: a watch of one object is served',
  },
  {
    signature: /field label not supported: \S+ \| reference field label ".." not supported for Job/,
    because: 'decision 104: all kinds are told alike what they cannot be selected by',
  },
  {
    signature: /^\/openapi.* paths\.\/api\/v1\/namespaces\/\{name\}\.delete\.responses/,
    because: 'decision 104: what a deletion of a namespace answers is documented as it is',
  },
  {
    signature: /^\/openapi.*\.default \| ours .* \| reference (N|"\.\.")$/,
    because: 'decision 68: bounds, rules and defaults are published',
  },
  {
    signature:
      /\| ours N.* \| reference N (context deadline exceeded|.*Too large resource version)/,
    because: 'the reference runs on a loaded machine',
  },
  {
    signature:
      /\| ours N Timeout: request did not complete within the allotted timeout \| reference N $/,
    request: /[?&]timeout=\d/,
    because: 'this server runs on a loaded machine, too, and a request may say how long it waits',
  },
  {
    signature: /^StatefulSet\.v1\.apps\/scale \| GET( watch)? scale \| details\.kind/,
    because: 'decision 94: a scale that is absent is named as one, of every kind',
  },
  {
    signature: /reference N no answer: /,
    because: 'the reference runs on a loaded machine',
  },
  {
    signature: /reference N \w+: \w+: required revision is a future revision/,
    because: 'decision 94: a wrong request is no error of the server',
  },
  {
    signature: /ours (N )?Unable to convert to Table as requested/,
    because: 'decision 104: a form that cannot be had is refused before anything is done',
  },
  {
    signature: /Review\.v1\S* list \| POST \| (details\.kind|message) \| ours /,
    because: 'decision 111: an error names the kind of the review',
  },
  {
    signature:
      /\| DELETE \| details\.causes\[\*\](\.message)? \| ours (\{"\.\.":"FieldValueNotSupported"|Unsupported value: \[\*\]string)/,
    because: 'A4.21: a dry run that the query asks for is one, whatever the body says',
  },
  {
    signature: /\| GET watch \| status \| ours N +\| reference N Name parameter invalid/,
    because: 'D-07: a watch of one object is served',
  },
  {
    signature: /\| message \| ours (\S+) "\.\." not found \| reference \1 "\.\." not found$/,
    because: 'decision 111: bytes that are no text are shown as replacement characters',
  },
  {
    signature: /^\/api\/v1 \| GET \| {2}\| ours "groupVersion: /,
    because: 'decision 68: what is not served is not documented',
  },
  {
    signature:
      /\/(status|approval|ephemeralcontainers|finalize) \| .* \| status \| ours .* \| reference N only the following/,
    because: 'decision 111: a subresource has the table of its object',
  },
  {
    signature:
      /^\/openapi\/v3\S* \| GET( watch)? \| header (vary|content-encoding) \| ours (Accept, Accept-Encoding|gzip) /,
    because: 'decision 111: documents of version 3 are compressed, too',
  },
  {
    signature: /\| header allow \| ours [A-Z, ]+ \| reference $/,
    because: 'decision 68: a method that is not allowed is answered with those that are',
  },
  {
    signature: /ours .*map\[\*\]string\(nil\).* \| reference .*map\[\*\]string\{\}/,
    because: 'decision 119: an empty map is none',
  },
  {
    signature:
      /^StorageClass.* \| PUT \| .*reference N parameters: Forbidden: updates to parameters/,
    because: 'decision 119: an empty map is none',
  },
  {
    signature:
      /^StorageClass.* \| PUT \| details\.causes\[\*\](\.field \| .* \| reference parameters$| \| ours absent \| reference \{)/,
    request: /"parameters":\{("[^"]*":null)?\}/,
    because: 'decision 119: an empty map is none',
  },
  {
    signature: /Pod Overhead set without corresponding RuntimeClass/,
    because: 'decision 119: an empty map is none',
  },
  {
    signature:
      /reference (N )?\S*(spec|securityContext\S*): Forbidden: (hostProcess containers are )?disallowed by cluster policy/,
    because: 'decision 119: the reference runs without the flag that allows privileged containers',
  },
  {
    signature:
      /reference (\{[^|]*")?Forbidden: (hostProcess containers are )?disallowed by cluster policy/,
    because: 'decision 119: the reference runs without the flag that allows privileged containers',
  },
  {
    signature:
      /^Service\.v1\. \| \w+( status)? \| (metadata\.managedFields|spec\.(clusterIPs?|ipFamilies|ipFamilyPolicy)\b)/,
    request: /"method":"PUT","path":"[^"]*\/services\/[^"]*\/status"/,
    because: 'decision 119: a service that is made through its status is a whole one',
  },
  {
    signature: /\| metadata\.deletion(Timestamp|GracePeriodSeconds) \| ours absent/,
    because: 'decision 119: what a PUT makes is not being deleted',
  },
  {
    signature:
      /\| PUT \| metadata\.managedFields\[\*\]\.fieldsV1\.f:metadata\S* \| ours absent \| reference \{("\.\.":\{\},?)*\}$/,
    request: /"method":"PUT".*"deletion(Timestamp|GracePeriodSeconds)":/,
    because: 'decision 119: what a PUT makes is not being deleted',
  },
  {
    signature:
      /\| (details\.causes\[\*\]\.(reason|field) \| ours FieldValue\w+ \| reference FieldValueInvalid|details\.causes\[\*\])/,
    request: /"capacity":\{"storage":"\d{19,}"/,
    because: 'decision 131: amounts of more than 64 bits are judged as what they are',
  },
  {
    signature: /reference N Internal error occurred: resource quota evaluation timed out$/,
    because: 'the reference runs on a loaded machine',
  },
  {
    signature: /aggregationRule\.clusterRoleSelectors: Required value: .* \| reference N $/,
    request: /"aggregationRule":\{\}/,
    because: 'decision 135: what a manager states stays, though another lets go of what is in it',
  },
  {
    signature: /may not specify more than N volume type \| reference N $/,
    request: /"type":"application\/apply-patch.*"type":"application\/apply-patch.*":\{\}/,
    because: 'decision 135: what a manager states stays, though another lets go of what is in it',
  },
  {
    signature: /^Ingress\.v1\S* \| PATCH apply-patch \| details\.causes/,
    request: /"(defaultBackend|service)":\{\}/,
    because: 'decision 135: what a manager states stays, though another lets go of what is in it',
  },
  {
    signature: /^\S+ \| PATCH apply-patch \| \S+ \| ours \{\} \| reference absent$/,
    request: /":\{\}/,
    because: 'decision 135: what a manager states stays, though another lets go of what is in it',
  },
  {
    signature: /\| PUT \| metadata\.managedFields \| ours absent \| reference \[\*\]$/,
    request: /"method":"PUT".*"deletion(Timestamp|GracePeriodSeconds)":/,
    because: 'decision 119: what a PUT makes is not being deleted',
  },
  {
    signature:
      /^PersistentVolume\.v1\. \| .*has to be specified when using volumeAttributesClassName/,
    because: 'decision 125: what is sent of disabled gates is dropped',
  },
  {
    signature:
      /(minimum|maximum) \S+ usage per \w+ is \S+, but (limit|request) is \S+ \| reference .* usage per \w+ is \S+, but (limit|request) is \S+$/,
    because: 'decision 135: amounts are told in their one form, however they were sent',
  },
  {
    signature: /ours (Invalid value: N-N-N N:N:N \+N UTC: field is immutable) \| reference \1/,
    because: 'decision 119: dates are told in whole seconds',
  },
  {
    signature:
      /^StatefulSet.*updateStrategy\.rollingUpdate\.maxUnavailable \| ours .* \| reference absent/,
    because: 'decision 119: what was released stays',
  },
  {
    signature: /reference N invalid resource name/,
    because: 'decision 119: a class that cannot be is absent, and no error of the server',
  },
  {
    signature: /^PriorityLevelConfiguration\..*( \| status \| | \| details\.causes)/,
    request: /"nominalConcurrencyShares":0\b/,
    because: 'decision 119: a level may have no seats of its own',
  },
  {
    signature: /^ResourceQuota.* \| metadata\.resourceVersion \|/,
    because: 'decision 93: the controller of quotas runs in the server',
  },
  {
    signature:
      /^(FlowSchema|PriorityLevelConfiguration)\..* \| POST \| metadata\.managedFields \| ours .* \| reference absent$/,
    request: /"status":\{"conditions":\[/,
    because: 'decision 131: a status that is not kept has no say in who manages the rest',
  },
  {
    signature: /must be a valid resource quantity|maxLimitRequestRatio\[\*\]/,
    request: /"(\d{19,}|\d+E|\d+[eE]\d{2,})"/,
    because: 'decision 131: amounts of more than 64 bits are judged as what they are',
  },
  {
    signature:
      /reference N spec\.volumeAttributesClassName: (Forbidden: update is forbidden when the|Invalid value)/,
    because: 'decision 93: what is sent of disabled gates is dropped',
  },
  {
    signature: /^StatefulSet.* \| status \| ours N +\| reference N spec: Forbidden: updates to/,
    request: /volumeAttributesClassName/,
    because: 'decision 93: what is sent of disabled gates is dropped',
  },
  {
    signature: /^Pod\.v1\. .*reference N status\.resourceClaimStatuses\[\*\]\.name: Invalid value/,
    because: 'decision 93: a status has no fields of disabled gates',
  },
  {
    signature: /^EndpointSlice.* \| metadata\.generation \| ours N \| reference N$/,
    request: /deprecatedTopology/,
    because: 'decision 125: what is dropped is not counted',
  },
  {
    signature: /reference (N )?failed to create manager for existing fields/,
    because: 'decision 125: what could be stored can be applied to',
  },
  {
    signature:
      /ours N failed to convert new object .*cannot convert (int|float)64 to int(32|64) \| reference N (?!failed to convert)/,
    because: 'decision 70: no number is changed in silence',
  },
  {
    signature:
      /ours failed to convert new object .*cannot convert (int|float)64 to int(32|64) \| reference failed to convert/,
    because: 'decision 70: no number is changed in silence',
  },
  {
    signature:
      /^ResourceQuota\.v1\. \| PATCH \S+( status)? \| details\.causes\[\*\]\.message \| ours Invalid value: "\.\.": json: /,
    because: 'decision 93: the controller of quotas runs in the server',
  },
  {
    signature:
      /^(Binding|Pod)\.v1\.\S*( list)? \| POST .*\| status \| ours N target\.\w+: .* \| reference N target\./,
    because: 'decision 94: a wrong request is no error of the server',
  },
  {
    signature:
      /cannot be handled as a (APIService|CustomResourceDefinition): .* \| reference .*: no kind "\.\." is registered/,
    because: 'decision 125: all kinds are known to all routes',
  },
]

/** Why a difference is meant; undefined for a new one. */
export function reasonFor(signature: string, steps: () => string = () => ''): string | undefined {
  const fits = ({ signature: shape, request }: KnownDifference): boolean =>
    shape.test(signature) && (request?.test(steps()) ?? true)
  return knownDifferences.find(fits)?.because
}
