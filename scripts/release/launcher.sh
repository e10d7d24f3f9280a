#!/bin/sh
# Runs the Node.js of this folder with the program under whose name it is called.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
lib=$(cd "$(dirname "$self")" && pwd -P)/lib
case ${0##*/} in
  docker-credential-wharf | wharf-credential-provider) program=${0##*/} ;;
  *) program=wharf ;;
esac
exec "$lib/node" "$lib/bin/$program.cjs" "$@"
