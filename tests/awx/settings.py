"""AWX's settings: all that it keeps is below one folder, and all that it talks to is a socket there."""

import os

_folder = os.environ["AWX_FOLDER"]

SECRET_KEY = BROADCAST_WEBSOCKET_SECRET = "of tests"
ALLOWED_HOSTS = ["127.0.0.1"]
CLUSTER_HOST_ID = "awx-1"
SYSTEM_UUID = "00000000-0000-0000-0000-000000000000"
DATABASES = {
    "default": {
        "ENGINE": "awx.main.db.profiled_pg",
        "ATOMIC_REQUESTS": True,
        "NAME": "awx",
        "USER": "postgres",
        "HOST": f"{_folder}/run",
        "CONN_MAX_AGE": None,
    }
}
BROKER_URL = f"unix://{_folder}/run/redis.sock"
CACHES = {"default": {"BACKEND": "awx.main.cache.AWXRedisCache", "LOCATION": f"{BROKER_URL}?db=1"}}
CHANNEL_LAYERS = {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [BROKER_URL]}}}
PROJECTS_ROOT = f"{_folder}/projects"
JOBOUTPUT_ROOT = f"{_folder}/job_status"
AWX_ISOLATION_BASE_PATH = f"{_folder}/tmp"
STATIC_ROOT = f"{_folder}/static"
LOG_ROOT = f"{_folder}/log"
CONTROL_PLANE_EXECUTION_ENVIRONMENT = "awx-ee"
