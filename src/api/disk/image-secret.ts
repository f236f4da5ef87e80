/**
 * Annotation of a VM's template that names the Secret with credentials for its images at web servers, in buckets and in
 * registries.
 */
export const IMAGE_SECRET_ANNOTATION = 'vimana.io/image-secret';
