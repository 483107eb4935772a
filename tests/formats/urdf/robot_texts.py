"""URDF texts for tests: an arm with one of everything, and small pieces to build others."""

from pathlib import Path

UNIT = "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'"
MASS = f"<inertial><mass value='1'/><inertia {UNIT}/></inertial>"


def robot(inside: str) -> str:
    return f"<robot name='arm'>\n{inside}\n</robot>\n"


def link(name: str, inside: str = MASS) -> str:
    return f"<link name='{name}'>{inside}</link>\n"


def joint(name: str, parent: str, child: str, inside: str = "<axis xyz='0 0 1'/>", kind: str = "continuous") -> str:
    ends = f"<parent link='{parent}'/><child link='{child}'/>"
    return f"<joint name='{name}' type='{kind}'>{ends}{inside}</joint>\n"


def put(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


ARM = f"""<?xml version="1.0"?>
<robot name="whole arm">
  <material name="blue"><color rgba="0 0 0.8 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0.3 -0.4 0.5"/>
      <mass value="2.5"/>
      <inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.04" iyz="0.003" izz="0.05"/>
    </inertial>
    <visual name="skin">
      <origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/>
      <geometry><box size="0.1 0.2 0.3"/></geometry>
      <material name="blue"/>
    </visual>
    <visual><geometry><cylinder radius="0.02" length="0.2"/></geometry>
      <material name="red"><color rgba="1 0 0 0.5"/><texture filename="red.png"/></material></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
    <contact><lateral_friction value="0.7"/><contact_cfm value="0"/></contact>
  </link>
  <link name="lower">{MASS}
    <visual><geometry><mesh filename="lower.stl" scale="0.001 0.001 0.001"/></geometry></visual>
    <collision><geometry><capsule radius="0.05" length="0.3"/></geometry></collision>
  </link>
  <link name="hand">{MASS}</link>
  <link name="finger">{MASS}</link>
  <link name="thumb">{MASS}</link>
  <link name="camera"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
    <parent link="base"/><child link="upper"/>
    <axis xyz="0 2 0"/>
    <limit lower="0.2" upper="1.5" effort="100" velocity="2"/>
    <dynamics damping="0.5" friction="0.1"/>
    <safety_controller k_velocity="1"/>
    <calibration rising="0"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0 0 0.5"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="wrist" type="prismatic">
    <parent link="lower"/><child link="hand"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="grip" type="prismatic">
    <parent link="hand"/><child link="finger"/><axis xyz="0 0 1"/><limit lower="0" upper="9" effort="1" velocity="1"/>
    <mimic joint="shoulder" multiplier="2" offset="0.05"/>
  </joint>
  <joint name="counter grip" type="prismatic">
    <parent link="hand"/><child link="thumb"/><axis xyz="0 0 1"/><limit lower="-9" upper="0" effort="1" velocity="1"/>
    <mimic joint="grip" multiplier="-1"/>
  </joint>
  <joint name="mount" type="fixed">
    <origin xyz="0.1 0 0"/><parent link="hand"/><child link="camera"/><axis xyz="0 0 0"/>
  </joint>
  <transmission name="drive"><type>simple</type></transmission>
  <gazebo reference="lower"><mu1>0.9</mu1><material>Gazebo/Red</material></gazebo>
</robot>
"""
