-- Lists of images whose packages are not known (tables/exposure/images/tagged-images.ts) are ranges of this index.
DROP INDEX IF EXISTS exposure_images_by_state;
CREATE INDEX exposure_images_by_state ON exposure_images (state, repo, digest) WHERE state <> 2;
