"""What an installer makes in a migrated database: the admin, the default objects, nodes and their groups."""

import os

from awx.main.models import Instance
from django.core.management import call_command

os.environ["DJANGO_SUPERUSER_PASSWORD"] = "password"
call_command("createsuperuser", "--noinput", "--username=admin", "--email=admin@localhost")
call_command("create_preload_data")
call_command("register_default_execution_environments")
call_command("provision_instance", "--hostname=awx-1", "--node_type=hybrid")
for queue in ("controlplane", "default"):
    call_command("register_queue", f"--queuename={queue}", "--instance_percent=100")

# A node that runs jobs of its own group alone.
call_command("provision_instance", "--hostname=awx-2", "--node_type=execution")
Instance.objects.filter(hostname="awx-2").update(managed_by_policy=False)
call_command("register_queue", "--queuename=remote", "--hostnames=awx-2")
